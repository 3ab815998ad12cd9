package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.await;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.move;
import static org.nyala.core.operation.UpdateFixture.rename;
import static org.nyala.core.operation.update.RuledDirectory.ADMINS;
import static org.nyala.core.operation.update.RuledDirectory.BOB;
import static org.nyala.core.operation.update.RuledDirectory.GROUPS;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.Patience;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.RulesText;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.GatedBackend;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

/** Tests rules that the directory holds for a subtree that the file delegates to it. */
class DelegatedRulesTest {
  private static final int FREE = 1_000_000;
  private static final String RULES = "cn=access rules," + PEOPLE;
  private static final String FILE =
      """
      people staff = entry "%s"
      to entry "%s"
        staff may manage
      delegate subtree "%s" to directory
      to all
        staff may write
        users may compare, disclose
      """
          .formatted(BOB, RULES, PEOPLE);

  private final RuledDirectory ruled = new RuledDirectory();
  private final GatedBackend store = new GatedBackend(ruled.directory.store);

  @BeforeEach
  void open() {
    store.commits.release(FREE);
    ruled.directory.backend = store;
    ruled.rules(FILE);
  }

  @AfterEach
  void close() {
    store.commits.release(FREE);
    ruled.close();
  }

  private static Request.Add rulesEntry(String name, String... texts) {
    return new Request.Add(
        1,
        name,
        List.of(
            UpdateFixture.values("objectClass", "subentry", "accessRuleSubentry"),
            UpdateFixture.values("cn", "access rules"),
            UpdateFixture.values("subtreeSpecification", "{}"),
            UpdateFixture.values("accessRule", texts)),
        List.of());
  }

  private void rules(String... texts) {
    assertThat(ruled.code(BOB, rulesEntry(RULES, texts))).isEqualTo(ResultCode.SUCCESS);
  }

  private ResultCode replace(String user, String... texts) {
    return ruled.code(user, modify(RULES, change(2, "accessRule", texts)));
  }

  private static Request describe(String name, String text) {
    return modify(name, change(2, "description", text));
  }

  private List<String> shown(String user, String name, String attribute) {
    RecordingSink sink =
        ruled.run(user, OperationFixture.search(name, Scope.BASE, OperationFixture.ALL, attribute));
    return sink.attributes.isEmpty()
        ? List.of()
        : sink.attributes.getFirst().getOrDefault(attribute, List.of());
  }

  @Test
  void shouldActWithTheNextOperation() {
    assertThat(shown(ANN, ANN, "sn")).isEmpty();
    rules("to attributes entry, objectClass, sn; users may read");
    assertThat(shown(ANN, ANN, "sn")).containsExactly("A");
    assertThat(shown(ANN, ANN, "cn")).isEmpty();
    assertThat(replace(BOB, "to attributes entry, objectClass, cn; users may read"))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(shown(ANN, ANN, "sn")).isEmpty();
    assertThat(shown(ANN, ANN, "cn")).containsExactly("Ann A");
    assertThat(ruled.code(BOB, delete(RULES))).isEqualTo(ResultCode.SUCCESS);
    assertThat(shown(ANN, ANN, "cn")).isEmpty();
  }

  @Test
  void shouldActNowhereElse() {
    rules("to subtree \"" + TOP + "\"; users may read, write");
    assertThat(ruled.code(ANN, describe(ANN, "by ann"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.code(ANN, describe(LEAF, "by ann")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(shown(ANN, LEAF, "description")).isEmpty();
  }

  @Test
  void shouldOrderTextsByTheirPlaces() {
    rules(
        "{10}to attributes sn; others may nothing",
        "{2}to attributes entry, objectClass, sn; self may read",
        "{3}to attributes cn; users may read");
    assertThat(shown(ANN, ANN, "sn")).containsExactly("A");
    assertThat(shown(ANN, ANN, "cn")).containsExactly("Ann A");
  }

  @Test
  void shouldNeedTheRightToManageThem() {
    String mine = "to all; self may read, write";
    // Ann may do anything but manage.
    ruled.rules(
        "to attributes accessRule\n entry \"%s\" may manage\n users may read, write".formatted(BOB),
        "delegate subtree \"" + PEOPLE + "\" to directory",
        "to all\n users may read, write");
    assertThat(ruled.code(ANN, rulesEntry(RULES, mine)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    rules("to attributes mail; others may nothing");
    assertThat(replace(ANN, mine)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(replace(ANN)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    for (int kind : new int[] {0, 1}) {
      assertThat(ruled.code(ANN, modify(RULES, change(kind, "accessRule", mine))))
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
    assertThat(ruled.code(ANN, delete(RULES))).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(ANN, rename(RULES, "cn=other", true)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    RequestControl tree = new RequestControl(ControlType.TREE_DELETE.oid(), true, null);
    assertThat(ruled.code(ANN, delete(PEOPLE, tree)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(BOB, delete(RULES))).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldStandWhereTheyAct() {
    String text = "to all; users may read";
    for (String name : List.of("cn=access rules," + GROUPS, "cn=access rules," + TOP)) {
      assertThat(ruled.asRoot(rulesEntry(name, text))).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "to atributes sn; users may read|RULES:1:4: found 'atributes'",
        "to all; users may read, proxy|RULES:1:9: found 'proxy', a right that only the file",
        "to all; users may read; limit users entries 5|RULES:1:25: found 'limit', expected 'to'",
        "zone a = ldapi|RULES:1:1: found 'zone', expected 'to'",
        "# nothing|RULES:1:10: found the end of the file, expected 'to'",
        "to all; group \"cn=admins,ou=groups,dc=example,dc=com\" may read|RULES:1:9: found a group"
            + " that",
        "to all; group \"cn=x,ou=people,dc=example,dc=com\" nested may read|RULES:1:9: found a"
            + " group",
        "to where (memberOf=cn=x); all may read|RULES:1:1: found a filter that asks for"
            + " memberships",
        "to where (&(sn=a)(!(memberOf=*))); all may read|RULES:1:1: found a filter that asks for",
        "to where (:distinguishedNameMatch:=cn=x); all may read|RULES:1:1: found a filter that",
        "{7}to all; strangers may read|RULES {7}:1:9: found 'strangers'",
      })
  void shouldRefuseTextsThatCannotBeRead(String text, String message) {
    LdapResult result = ruled.result(BOB, rulesEntry(RULES, text));
    assertThat(result.code()).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(result.message()).startsWith("accessRule: " + message.replace("RULES", RULES));
    assertThat(ruled.asRoot(rulesEntry(RULES, text))).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    rules("to all; users may read");
    assertThat(replace(BOB, text)).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(shown(ANN, ANN, "sn")).containsExactly("A");
  }

  @Test
  void shouldRefuseSeveralTextsWithoutPlaces() {
    rules("{0}to attributes sn; users may read");
    for (String place : List.of("", "{0}", "{x}")) {
      Request.Change another = change(0, "accessRule", place + "to all; users may read");
      assertThat(ruled.result(BOB, modify(RULES, another)).message())
          .contains("expected each to begin with a place of its own");
    }
    Request.Change another = change(0, "accessRule", "{1}to all; users may read");
    assertThat(ruled.code(BOB, modify(RULES, another))).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldCoverTheWholeSubtree() {
    Request.Change part = change(2, "subtreeSpecification", "{ base \"ou=x\" }");
    rules("to all; users may read");
    LdapResult refused = ruled.result(BOB, modify(RULES, part));
    assertThat(refused.code()).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(refused.message()).contains("found a subtreeSpecification, expected {}");
    Request.Change none = change(1, "accessRule");
    assertThat(ruled.code(BOB, modify(RULES, none, part))).isEqualTo(ResultCode.SUCCESS);
    assertThat(replace(BOB, "to all; users may read")).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldBoundTheirNumberAndLength() {
    ruled.directory.access =
        new AccessPolicy(false).withRules(new RulesText("r", FILE.indent(0), 3));
    ruled
        .directory
        .operations()
        .reconfigure(ruled.directory.access, ruled.directory.limits, RootAccounts.NONE);
    String one = "to all; users may read\n";
    assertThat(ruled.result(BOB, rulesEntry(RULES, one.repeat(4))).message())
        .contains("found more than 3 rules");
    assertThat(ruled.result(BOB, rulesEntry(RULES, one + "#".repeat(64 << 10))).message())
        .contains("found more than 65536 bytes of rules");
    rules(one.repeat(3));
  }

  @Test
  void shouldWatchTheGroupsThatTheyName() {
    ruled.rules(
        "people admins = group \"" + ADMINS + "\"",
        "to entry \"" + RULES + "\"\n all may manage",
        "delegate subtree \"" + PEOPLE + "\" to directory",
        "to all\n users may write");
    rules("to all; admins may read; users may disclose");
    assertThat(shown(ANN, ANN, "sn")).isEmpty();
    assertThat(ruled.asRoot(modify(ADMINS, change(2, "member", ANN))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(shown(ANN, ANN, "sn")).containsExactly("A");
    assertThat(ruled.asRoot(modify(ADMINS, change(2, "member", BOB))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(shown(ANN, ANN, "sn")).isEmpty();
  }

  /** A change of rules ends its commit: later ones of the same batch find the rights after it. */
  @Test
  void shouldActForLaterUpdatesOfTheSameBatch() {
    rules("to all; users may read, write");
    store.commits.drainPermits();
    RecordingSink busy = start(ANN, describe(ANN, "busy"));
    Patience.await(store.committing);
    final RecordingSink closed =
        start(BOB, modify(RULES, change(2, "accessRule", "to all; others may read")));
    final RecordingSink refused = start(ANN, describe(ANN, "by ann"));
    final RecordingSink again =
        start(
            OperationFixture.ROOT.dn().toString(),
            modify(RULES, change(2, "accessRule", "to all; users may write")));
    store.commits.release(FREE);
    for (RecordingSink each : List.of(busy, closed, refused, again)) {
      await(each);
    }
    assertThat(closed.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(refused.code()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(ANN, describe(ANN, "later"))).isEqualTo(ResultCode.SUCCESS);
  }

  private RecordingSink start(String user, Request request) {
    ruled.directory.identity =
        user.equals(OperationFixture.ROOT.dn().toString())
            ? OperationFixture.ROOT
            : RuledDirectory.identity(user);
    RecordingSink sink = new RecordingSink(100);
    ruled.directory.start(request, sink);
    return sink;
  }

  /** Rules that name people whom another file does not know any more. */
  @Test
  void shouldCloseSubtreeOfRulesThatCannotBeRead() {
    rules("to attributes entry, objectClass, sn; staff may read; users may read");
    assertThat(shown(ANN, ANN, "sn")).containsExactly("A");
    String[] other = {
      "to attributes accessRule\n entry \"" + BOB + "\" may manage",
      "delegate subtree \"" + PEOPLE + "\" to directory",
      "to all\n users may read, write",
    };
    ruled.rules(other);
    assertThat(shown(ANN, ANN, "sn")).isEmpty();
    assertThat(ruled.code(ANN, describe(ANN, "a"))).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(ruled.code(ANN, describe(LEAF, "a"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(replace(ANN, "to all; users may read")).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    // The rules of the file that are asked before stay.
    assertThat(replace(BOB, "to attributes mail; others may nothing"))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(shown(ANN, ANN, "sn")).containsExactly("A");
  }

  @Test
  void shouldNotMoveButByRoot() {
    rules("to attributes sn; users may read");
    ruled.rules(
        "delegate subtree \"" + PEOPLE + "\" to directory",
        "delegate subtree \"ou=staff," + TOP + "\" to directory",
        "to all\n users may read, write, manage");
    assertThat(ruled.code(BOB, move(PEOPLE, "ou=staff", TOP)))
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(ruled.code(BOB, rename(RULES, "cn=other", true)))
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(ruled.asRoot(move(PEOPLE, "ou=staff", TOP))).isEqualTo(ResultCode.SUCCESS);
    String moved = ANN.replace("ou=people", "ou=staff");
    assertThat(shown(BOB, moved, "sn")).containsExactly("A");
    assertThat(shown(BOB, moved, "cn")).containsExactly("Ann A");
  }
}
