"""The pages of clubs and tournaments: parse, call one service or selector, answer."""
