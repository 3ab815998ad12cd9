package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.move;
import static org.nyala.core.operation.UpdateFixture.rename;
import static org.nyala.core.operation.update.RuledDirectory.ADMINS;
import static org.nyala.core.operation.update.RuledDirectory.BOB;
import static org.nyala.core.operation.update.RuledDirectory.GROUPS;
import static org.nyala.core.operation.update.RuledDirectory.HIDDEN;
import static org.nyala.core.operation.update.RuledDirectory.SECRET;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;

/** Tests which rights adds, deletes, renames and changes of entries take. */
class RuledUpdateTest {
  private static final RequestControl TREE =
      new RequestControl("1.2.840.113556.1.4.805", true, null);
  private static final String KNOWN = "to attributes entry\n  users may disclose";
  private static final String NEW = "cn=new," + PEOPLE;

  private final RuledDirectory ruled = new RuledDirectory();

  @AfterEach
  void close() {
    ruled.close();
  }

  private static String rule(String target, String clause) {
    return "to " + target + "\n  " + clause;
  }

  private static String entry(String name) {
    return "entry \"" + name + "\"";
  }

  /** Checks that a request needs every one of some rules, and nothing else. */
  private void needs(Request request, String... rules) {
    for (int missing = 0; missing < rules.length; missing++) {
      List<String> others = new ArrayList<>(List.of(rules));
      others.remove(missing);
      others.add(KNOWN);
      Object before = ruled.directory.store.entries().toString();
      ruled.rules(others.toArray(String[]::new));
      assertThat(ruled.code(ANN, request))
          .as("without %s", rules[missing])
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
      assertThat(ruled.directory.store.entries()).hasToString(before.toString());
    }
    List<String> all = new ArrayList<>(List.of(rules));
    all.add(KNOWN);
    ruled.rules(all.toArray(String[]::new));
    assertThat(ruled.code("", request)).isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
    assertThat(ruled.code(BOB, request))
        .isIn(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, ResultCode.NO_SUCH_OBJECT);
    assertThat(ruled.code(ANN, request)).isEqualTo(ResultCode.SUCCESS);
  }

  private static String ann(String right) {
    return entry(ANN) + " may " + right;
  }

  @Test
  void shouldAddWithRightsToParentEntryAndValues() {
    needs(
        add(NEW, "objectClass", "device", "cn", "new", "description", "x"),
        rule(entry(PEOPLE) + " attributes children", ann("add")),
        rule(entry(NEW) + " attributes entry", ann("add")),
        rule(entry(NEW) + " attributes objectClass", ann("add")),
        rule(entry(NEW) + " attributes cn", ann("add")),
        rule(entry(NEW) + " attributes description value \"x\"", ann("add")));
    assertThat(ruled.directory.stored(NEW)).containsEntry("creatorsName", List.of(ANN));
  }

  @Test
  void shouldSeeTheNewEntryAsItWillBe() {
    ruled.rules(
        rule(entry(PEOPLE) + " attributes children", ann("add")),
        rule("below \"" + PEOPLE + "\" where (structuralObjectClass=account)", "users may nothing"),
        rule("below \"" + PEOPLE + "\" where (description=mine)", "users may add"),
        rule("below \"" + PEOPLE + "\"", "listed in owner may add"));
    assertThat(ruled.code(ANN, add(NEW, "objectClass", "device", "cn", "new")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(ANN, add(NEW, "objectClass", "device", "cn", "new", "owner", ANN)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(
            ruled.code(
                ANN,
                add("cn=b," + PEOPLE, "objectClass", "device", "cn", "b", "description", "mine")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(
            ruled.code(
                ANN,
                add(
                    "uid=c," + PEOPLE,
                    "objectClass",
                    "account",
                    "uid",
                    "c",
                    "description",
                    "mine")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }

  @Test
  void shouldAddTopsWithTheRightToWhatIsAboveThem() {
    String other = "dc=other,dc=com";
    needs(
        add(other, "objectClass", "domain", "dc", "other"),
        rule(entry("dc=com") + " attributes children", ann("add")),
        rule(entry(other), ann("add")));
  }

  @Test
  void shouldDeleteWithRightsToParentAndEntry() {
    needs(
        delete(LEAF),
        rule(entry(TOP) + " attributes children", ann("remove")),
        rule(entry(LEAF) + " attributes entry", ann("remove")));
    assertThat(ruled.directory.stored(LEAF)).isNull();
  }

  @Test
  void shouldDeleteTreesOfWhichEveryEntryMayGo() {
    needs(
        delete(HIDDEN, TREE),
        rule(entry(TOP) + " attributes children", ann("remove")),
        rule(entry(HIDDEN) + " attributes entry", ann("remove")),
        rule(entry(HIDDEN) + " attributes children", ann("remove")),
        rule(entry(SECRET) + " attributes entry", ann("remove")));
    assertThat(ruled.directory.names()).doesNotContain(HIDDEN, SECRET);
  }

  @Test
  void shouldModifyWithARightToEachValue() {
    needs(
        modify(
            ADMINS,
            change(0, "member", ANN),
            change(1, "description"),
            change(2, "owner", ANN),
            change(1, "member", BOB)),
        rule(entry(ADMINS) + " attributes description", ann("remove")),
        rule(entry(ADMINS) + " attributes owner value \"" + BOB + "\"", ann("remove")),
        rule(entry(ADMINS) + " attributes owner value \"" + ANN + "\"", ann("add")),
        rule(entry(ADMINS) + " attributes member value \"" + BOB + "\"", ann("remove")),
        rule(entry(ADMINS) + " attributes member value \"" + ANN + "\"", ann("add")));
  }

  @Test
  void shouldTellValuesThatComeFromValuesThatGo() {
    ruled.rules(
        rule("attributes member", "users may read value self, write value self\n  users may read"),
        KNOWN);
    assertThat(ruled.code(ANN, modify(ADMINS, change(0, "member", BOB))))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(ANN, modify(ADMINS, change(0, "member", ANN))))
        .isEqualTo(ResultCode.SUCCESS);
    for (Request.Change change :
        List.of(
            change(1, "member"),
            change(2, "member", ANN),
            change(2, "member"),
            change(1, "member", BOB),
            change(1, "owner"),
            change(1, "description"),
            change(1, "mail", "x"),
            change(0, "member;lang-de", BOB))) {
      assertThat(ruled.code(ANN, modify(ADMINS, change)))
          .as(change.toString())
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
    assertThat(ruled.code(ANN, modify(ADMINS, change(1, "member", ANN))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldIncrementToNumbersThatMayBe() {
    String serial = "uidNumber";
    assertThat(
            ruled.asRoot(
                modify(
                    ANN,
                    change(0, "objectClass", "posixAccount"),
                    change(0, serial, "7"),
                    change(0, "gidNumber", "7"),
                    change(0, "homeDirectory", "/"))))
        .isEqualTo(ResultCode.SUCCESS);
    Request increment = modify(ANN, change(3, serial, "1"));
    ruled.rules(rule("attributes " + serial, "self may only add, remove, disclose"), KNOWN);
    assertThat(ruled.code(ANN, increment)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    ruled.rules(
        rule("attributes " + serial + " value \"8\"", "self may nothing"),
        rule("attributes " + serial, "self may increment"),
        KNOWN);
    assertThat(ruled.code(ANN, increment)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    ruled.rules(rule("attributes " + serial, "self may increment"), KNOWN);
    assertThat(ruled.code(ANN, increment)).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.directory.stored(ANN)).containsEntry(serial, List.of("8"));
  }

  @Test
  void shouldRenameWithRightsToEntryParentsAndNames() {
    needs(
        move(LEAF, "ou=other", PEOPLE),
        rule(entry(LEAF) + " attributes entry", ann("write")),
        rule(entry(TOP) + " attributes children", ann("remove")),
        rule(entry(PEOPLE) + " attributes children", ann("add")),
        rule(entry(LEAF) + " attributes ou value \"other\"", ann("add")),
        rule(entry(LEAF) + " attributes ou value \"leaf\"", ann("remove")));
    assertThat(ruled.directory.stored("ou=other," + PEOPLE)).isNotNull();
  }

  @Test
  void shouldRenameInPlaceWithBothRightsToTheParent() {
    needs(
        rename(LEAF, "ou=new", false),
        rule(entry(TOP) + " attributes children", ann("add, remove")),
        rule(entry(LEAF) + " attributes entry", ann("add, remove, increment")),
        rule(entry(LEAF) + " attributes ou value \"new\"", ann("add")));
    ruled.rules(
        rule(entry(TOP) + " attributes children", ann("add")), rule("all", ann("read, write")));
    assertThat(ruled.code(ANN, rename("ou=new," + TOP, "ou=leaf", false)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }

  @Test
  void shouldNotTellHiddenEntriesFromMissingOnes() {
    ruled.rules(
        rule("subtree \"" + HIDDEN + "\"", entry(BOB) + " may read, write"),
        rule("all", "users may read, write"));
    String missing = "cn=missing," + HIDDEN;
    Map<String, List<Request>> pairs =
        Map.of(
            SECRET,
            List.of(
                delete(SECRET),
                modify(SECRET, change(2, "description", "x")),
                modify(SECRET),
                rename(SECRET, "cn=x", true),
                move(SECRET, "cn=x", TOP),
                add("cn=x," + SECRET, "objectClass", "device", "cn", "x"),
                add(SECRET, "objectClass", "device", "cn", "secret")),
            missing,
            List.of(
                delete(missing),
                modify(missing, change(2, "description", "x")),
                modify(missing),
                rename(missing, "cn=x", true),
                move(missing, "cn=x", TOP),
                add("cn=x," + missing, "objectClass", "device", "cn", "x"),
                add(missing, "objectClass", "device", "cn", "missing")));
    for (int i = 0; i < pairs.get(SECRET).size(); i++) {
      LdapResult hidden = ruled.result(ANN, pairs.get(SECRET).get(i));
      assertThat(hidden).isEqualTo(ruled.result(ANN, pairs.get(missing).get(i)));
      assertThat(hidden.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
      assertThat(hidden.matchedDn()).isEqualTo(TOP);
    }
    assertThat(ruled.code(BOB, modify(SECRET, change(2, "description", "x"))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldNotTellHiddenSuperiorsFromMissingOnes() {
    ruled.rules(
        rule("subtree \"" + HIDDEN + "\"", entry(BOB) + " may read, write"),
        rule("all", "users may read, write"));
    LdapResult hidden = ruled.result(ANN, move(LEAF, "ou=leaf", SECRET));
    assertThat(hidden).isEqualTo(ruled.result(ANN, move(LEAF, "ou=leaf", "cn=x," + HIDDEN)));
    assertThat(hidden).isEqualTo(ruled.result(ANN, move(LEAF, "ou=leaf", HIDDEN)));
    assertThat(hidden.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldAskForRightsBeforeItSaysThatAnEntryExists() {
    ruled.rules(
        rule(entry(PEOPLE) + " attributes children", "users may disclose"),
        rule("all", "users may read, write"));
    Request taken = add(ANN, "objectClass", "account", "uid", "ann");
    Request free = add("uid=x," + PEOPLE, "objectClass", "account", "uid", "x");
    assertThat(ruled.result(BOB, taken)).isEqualTo(ruled.result(BOB, free));
    assertThat(ruled.code(BOB, taken)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.result(BOB, move(LEAF, "uid=ann", PEOPLE)))
        .isEqualTo(ruled.result(BOB, move(LEAF, "uid=x", PEOPLE)));
    assertThat(ruled.code(BOB, move(LEAF, "uid=ann", PEOPLE)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    ruled.rules(rule(entry(ANN), "users may add"), rule("all", "users may read, write"));
    assertThat(ruled.code(BOB, taken)).isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
    assertThat(ruled.code(BOB, move(LEAF, "uid=ann", PEOPLE)))
        .isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
  }

  @Test
  void shouldLeaveRootAndTheSchemaOutOfTheRules() {
    ruled.rules(rule("all", "users may manage"));
    assertThat(
            ruled.code(
                ANN,
                modify(
                    "cn=Subschema", change(0, "attributeTypes", "( 1.2.3.4 NAME 'x' SUP name )"))))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    ruled.rules(rule("all", "all may nothing"));
    assertThat(ruled.asRoot(delete(ADMINS))).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.code(ANN, delete(GROUPS))).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }
}
