"""The list of names that may join, typed and imported."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from games.models import Player
from tournaments import services
from tournaments.models import AllowedName, Club, ClubEvent, Membership
from tournaments.services.errors import TournamentError

from .factories import new_account, new_club, new_member

pytestmark = pytest.mark.django_db

Role, Status = Membership.Role, Membership.Status


@pytest.fixture
def club() -> Club:
    return new_club(joining=Club.Joining.LIST)


@pytest.fixture
def owner(club: Club) -> Player:
    return new_member(club, "Olga", Role.OWNER)


def read(club: Club, by: Player, text: str | bytes, *, dry_run: bool = False) -> services.Imported:
    data = text.encode() if isinstance(text, str) else text
    return services.import_names(club=club, by=by, data=data, dry_run=dry_run)


def listed(club: Club) -> list[tuple[str, str, str]]:
    rows = AllowedName.objects.filter(club=club).order_by("username")
    return list(rows.values_list("username", "name", "role"))


def refused_file(club: Club, by: Player, text: str | bytes) -> str:
    with pytest.raises(ValidationError) as caught:
        read(club, by, text)
    assert listed(club) == []
    assert len(caught.value.messages) == 1
    return caught.value.code


def wrong(imported: services.Imported) -> dict[int, tuple[str, ...]]:
    return {error.line: error.errors for error in imported.errors}


class TestImport:
    def test_names_are_put_on_the_list(self, club: Club, owner: Player) -> None:
        new_account("dora")
        text = "username,name,role\nann,Ann of the Hill,\nbob,,member\ndora,,Director\n"
        assert read(club, owner, text) == services.Imported(new=3)
        assert listed(club) == [
            ("ann", "Ann of the Hill", "member"),
            ("bob", "", "member"),
            ("dora", "", "director"),
        ]
        assert set(AllowedName.objects.values_list("added_by", flat=True)) == {owner.pk}
        events = ClubEvent.objects.values_list("kind", "by", "note")
        assert list(events) == [("imported", owner.pk, "3")]

    def test_a_dry_run_says_the_same_and_keeps_nothing(self, club: Club, owner: Player) -> None:
        text = "username\nann\nbob\n"
        assert read(club, owner, text, dry_run=True) == services.Imported(new=2)
        assert (listed(club), ClubEvent.objects.count()) == ([], 0)

    def test_a_list_makes_nobody_a_member(self, club: Club, owner: Player) -> None:
        ann = new_account("ann")
        read(club, owner, "username\nann\n")
        assert not Membership.objects.filter(player=ann).exists()
        assert services.join_club(club=club, player=ann).is_active

    def test_again_with_changes(self, club: Club, owner: Player) -> None:
        new_member(club, "mia")
        read(club, owner, "username,name\nann,Ann\nbob,Bob\n")
        again = read(club, owner, "username,name\nann,Ann\nbob,Bobby\nMIA,\ncleo,\n")
        assert again == services.Imported(new=1, changed=1, same=1, members=1)
        assert again.lines == 4
        assert listed(club) == [
            ("ann", "Ann", "member"), ("bob", "Bobby", "member"), ("cleo", "", "member"),
        ]  # fmt: skip

    def test_nothing_new_is_no_event(self, club: Club, owner: Player) -> None:
        for _ in range(2):
            read(club, owner, "username\nann\n")
        assert ClubEvent.objects.count() == 1

    @pytest.mark.parametrize(
        "text",
        [
            "\ufeffUser name;Name;Role\r\nann;Ann;member\r\n",
            "USER_NAME\tname\nann\tAnn\n",
            "phone,name,username\n0888,Ann,ann\n",
            '"username","name"\n"ann","Ann"\n',
            "\nusername,name\n\n  ann , Ann \n,\n",
        ],
    )
    def test_however_a_spreadsheet_writes_it(self, club: Club, owner: Player, text: str) -> None:
        assert read(club, owner, text) == services.Imported(new=1)
        assert listed(club) == [("ann", "Ann", "member")]

    def test_every_error_with_its_line_and_nothing_is_kept(self, club: Club, owner: Player) -> None:
        new_member(club, "Boris")
        new_member(club, "Zed", status=Status.BANNED)
        text = (
            "username,name,role\n"
            "good,Good,member\n"
            "two words,,\n"
            ",Nobody,\n"
            "\n"
            "GOOD,,\n"
            "cyril,B\u043eris,\n"
            "dan,boris,\n"
            "eve,G\u202eood,\n"
            f"fay,{'x' * 31},\n"
            "gus,,owner\n"
            "hal,,director\n"
            "zed,,\n"
            "ian,,,extra\n"
            f"{'y' * 151},,\n"
            "jon,good,king\n"
        )
        imported = read(club, owner, text)
        assert wrong(imported) == {
            3: (
                (
                    "Enter a valid username. "
                    "This value may contain only letters, numbers, and @/./+/-/_ characters."
                ),
            ),
            4: ("The user name is missing.",),
            6: ("This user name stands in line 2 already.",),
            7: ("Please write each word with the letters of one alphabet.",),
            8: ("Somebody in the club or on the list has a name that looks like this one.",),
            9: ("Please leave out control characters and marks that turn the direction of text.",),
            10: ("A name has at most 30 characters.",),
            11: ("A role is “member” or “director”.",),
            12: (
                (
                    "There is no such account yet, and anybody could take the name: "
                    "put it on the list as a member."
                ),
            ),
            13: ("This player is banned: lift the ban first.",),
            14: ("This line has more cells than the first line has columns.",),
            15: ("A user name has at most 150 characters.",),
            16: (
                "Somebody in the club or on the list has a name that looks like this one.",
                "A role is “member” or “director”.",
            ),
        }
        assert [error.username for error in imported.errors][:2] == ["two words", ""]
        assert imported.new == 1
        assert (listed(club), ClubEvent.objects.count()) == ([], 0)

    def test_the_line_is_the_files_own_also_after_a_cell_of_two_lines(
        self, club: Club, owner: Player
    ) -> None:
        imported = read(club, owner, 'username,note\nann,"one\ntwo"\nbad name,\n')
        assert list(wrong(imported)) == [4]

    def test_directors_make_no_directors(self, club: Club, owner: Player) -> None:
        new_account("ann")
        dora = new_member(club, "Dora", Role.DIRECTOR)
        text = "username,role\nann,director\n"
        assert wrong(read(club, dora, text)) == {2: ("Only owners make directors.",)}
        assert read(club, owner, text) == services.Imported(new=1)

    def test_members_and_strangers_import_nothing(self, club: Club) -> None:
        for player in (new_member(club), new_account()):
            with pytest.raises(TournamentError) as caught:
                read(club, player, "username\nann\n")
            assert caught.value.code == "not_allowed"
        assert listed(club) == []

    def test_two_thousand_lines_in_few_queries(
        self, club: Club, owner: Player, django_assert_max_num_queries: Any
    ) -> None:
        text = "username\n" + "".join(f"player{number}\n" for number in range(2000))
        with django_assert_max_num_queries(60):
            assert read(club, owner, text) == services.Imported(new=2000)
        with django_assert_max_num_queries(60):
            assert read(club, owner, text) == services.Imported(same=2000)


class TestFiles:
    def test_fifty_thousand_lines(self, club: Club, owner: Player) -> None:
        text = "username\n" + "".join(f"player{number}\n" for number in range(50_000))
        assert refused_file(club, owner, text) == "too_large"

    def test_two_thousand_and_one_lines(self, club: Club, owner: Player) -> None:
        text = "username\n" + "".join(f"p{number}\n" for number in range(2001))
        assert refused_file(club, owner, text) == "too_many_lines"

    @pytest.mark.parametrize(
        ("data", "code"),
        [
            ("username\nборис\n".encode("cp1251"), "not_utf8"),
            (b"PK\x03\x04\x14\x00\xff\xfe", "not_utf8"),
            ("ann\nbob\n", "no_header"),
            ("", "no_header"),
            ("username,name\n", "no_lines"),
            ('username\n"ann\n', "not_csv"),
        ],
    )
    def test_what_is_no_list(self, club: Club, owner: Player, data: str | bytes, code: str) -> None:
        assert refused_file(club, owner, data) == code


class TestOneByOne:
    def test_put_on_and_taken_off(self, club: Club, owner: Player) -> None:
        for _ in range(2):
            services.allow_name(club=club, by=owner, username="ann", name="Ann")
        (row,) = AllowedName.objects.all()
        for _ in range(2):
            services.disallow_name(allowed=row, by=owner)
        assert listed(club) == []
        events = ClubEvent.objects.order_by("pk").values_list("kind", "note")
        assert list(events) == [("listed", "ann"), ("unlisted", "ann")]

    @pytest.mark.parametrize(
        ("fields", "at"),
        [
            ({"username": "two words"}, {"username": ["invalid"]}),
            ({"username": "Mia"}, {"username": ["member"]}),
            ({"username": "ann", "name": "mia"}, {"name": ["name_taken"]}),
            ({"username": "ann", "role": "owner"}, {"role": ["no_such_role"]}),
        ],
    )
    def test_what_is_wrong_is_said_at_the_field(
        self, club: Club, owner: Player, fields: dict[str, str], at: dict[str, list[str]]
    ) -> None:
        new_member(club, "Mia")
        with pytest.raises(ValidationError) as caught:
            services.allow_name(club=club, by=owner, **fields)
        codes = {
            field: [error.code for error in errors]
            for field, errors in caught.value.error_dict.items()
        }
        assert (codes, listed(club)) == (at, [])

    def test_only_by_directors(self, club: Club) -> None:
        row = AllowedName.objects.create(club=club, username="ann", username_key="ann")
        for player in (new_member(club), new_account()):
            for act in (
                lambda by: services.allow_name(club=club, by=by, username="bob"),
                lambda by: services.disallow_name(allowed=row, by=by),
            ):
                with pytest.raises(TournamentError) as caught:
                    act(player)
                assert caught.value.code == "not_allowed"
        assert listed(club) == [("ann", "", "member")]
