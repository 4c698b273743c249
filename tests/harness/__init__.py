"""What the tests run the site with: real servers, throwaway databases, a real browser."""
