package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.rename;
import static org.nyala.core.operation.update.ReadEntryControls.assertion;
import static org.nyala.core.operation.update.ReadEntryControls.entry;
import static org.nyala.core.operation.update.ReadEntryControls.read;
import static org.nyala.core.session.OperationFixture.SCHEMA;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.filter.Membership;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.update.CommittedChange;

final class UpdateControlsTest {
  private static final String PRE_READ = ControlType.PRE_READ.oid();
  private static final String POST_READ = ControlType.POST_READ.oid();

  private final UpdateFixture directory = new UpdateFixture();

  @AfterEach
  void close() {
    directory.close();
  }

  private static RequestControl control(ControlType type) {
    return new RequestControl(type.oid(), true, null);
  }

  @Test
  void shouldReturnTheEntryBeforeAndAfterAModify() throws InvalidBerException {
    RecordingSink sink =
        directory.run(
            modify(
                List.of(
                    read(ControlType.PRE_READ, "description"),
                    read(
                        ControlType.POST_READ,
                        "description",
                        "modifiersName",
                        "entryDN",
                        "hasSubordinates")),
                LEAF,
                change(2, "description", "red")));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(entry(sink, PRE_READ))
        .isEqualTo(Map.of("dn", List.of(LEAF), "description", List.of("green")));
    assertThat(entry(sink, POST_READ))
        .isEqualTo(
            Map.of(
                "dn", List.of(LEAF),
                "description", List.of("red"),
                "modifiersName", List.of("cn=admin,dc=example,dc=com"),
                "entryDN", List.of(LEAF),
                "hasSubordinates", List.of("FALSE")));
  }

  @Test
  void shouldReturnNewAndOldEntriesAndNewNames() throws InvalidBerException {
    RecordingSink added =
        directory.run(
            add(
                List.of(read(ControlType.POST_READ)),
                "cn=x," + PEOPLE,
                "objectClass",
                "device",
                "cn",
                "x"));
    assertThat(entry(added, POST_READ))
        .isEqualTo(
            Map.of(
                "dn", List.of("cn=x," + PEOPLE),
                "objectClass", List.of("device"),
                "cn", List.of("x")));
    RecordingSink renamed =
        directory.run(
            rename(
                "cn=x," + PEOPLE,
                "cn=y",
                true,
                read(ControlType.PRE_READ, "cn"),
                read(ControlType.POST_READ, "cn")));
    assertThat(entry(renamed, PRE_READ))
        .isEqualTo(Map.of("dn", List.of("cn=x," + PEOPLE), "cn", List.of("x")));
    assertThat(entry(renamed, POST_READ))
        .isEqualTo(Map.of("dn", List.of("cn=y," + PEOPLE), "cn", List.of("y")));
    RecordingSink deleted =
        directory.run(delete("cn=y," + PEOPLE, read(ControlType.PRE_READ, "1.1")));
    assertThat(entry(deleted, PRE_READ)).isEqualTo(Map.of("dn", List.of("cn=y," + PEOPLE)));
  }

  @Test
  void shouldChangeNothingWhenTheEntryCannotBeReturnedAfterwards() {
    directory.membership =
        Membership.of(
            SCHEMA.attributeType("memberOf"), List.of(SCHEMA.attributeType("member")), false, 1);
    List<CommittedChange> committed = new ArrayList<>();
    directory.listeners.add(committed::addAll);
    for (String cn : List.of("a", "b")) {
      assertThat(
              directory.code(
                  add(
                      "cn=" + cn + "," + PEOPLE,
                      "objectClass",
                      "groupOfNames",
                      "cn",
                      cn,
                      "member",
                      ANN)))
          .isEqualTo(ResultCode.SUCCESS);
    }
    assertThat(
            directory.code(
                modify(
                    List.of(read(ControlType.POST_READ, "memberOf")),
                    ANN,
                    change(2, "title", "x"))))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.stored(ANN)).doesNotContainKey("title");
    assertThat(committed).hasSize(2);
  }

  @Test
  void shouldNotReturnEntriesThatTakeTooMuchMemory() {
    String[] large = new String[5];
    for (int i = 0; i < large.length; i++) {
      large[i] = i + "x".repeat(1 << 20);
    }
    Request.Modify grow =
        modify(
            List.of(read(ControlType.POST_READ, "description")),
            LEAF,
            change(2, "description", large));
    assertThat(directory.code(grow)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.stored(LEAF)).containsEntry("description", List.of("green"));
    assertThat(directory.code(modify(LEAF, change(2, "description", large))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(delete(LEAF, read(ControlType.PRE_READ, "description"))))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.code(delete(LEAF, read(ControlType.PRE_READ, "ou"))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldNotShowPasswords() throws InvalidBerException {
    directory.run(modify(ANN, change(0, "userPassword", "secret")));
    RecordingSink sink =
        directory.run(
            modify(
                List.of(read(ControlType.PRE_READ, "*", "userPassword")),
                ANN,
                change(2, "title", "x")));
    assertThat(entry(sink, PRE_READ)).doesNotContainKey("userPassword").containsKey("cn");
  }

  @Test
  void shouldRefuseControlsThatDoNotSuit() {
    assertThat(directory.code(delete(LEAF, read(ControlType.POST_READ))))
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(
            directory.code(
                add(
                    List.of(read(ControlType.PRE_READ)),
                    "cn=x," + PEOPLE,
                    "objectClass",
                    "device")))
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(directory.code(rename(LEAF, "ou=x", true, control(ControlType.TREE_DELETE))))
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    RequestControl malformed =
        new RequestControl(PRE_READ, true, new byte[] {0x30, 0x05, 0x04, 0x01, 'x'});
    assertThat(directory.code(delete(LEAF, malformed))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    RequestControl noFilter =
        new RequestControl(ControlType.ASSERTION.oid(), true, new byte[] {0x30, 0});
    assertThat(directory.code(delete(LEAF, noFilter))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(directory.names()).hasSize(6);
  }

  @Test
  void shouldChangeOnlyWhatMatchesTheAssertion() {
    assertThat(directory.code(delete(LEAF, assertion("ou", "twig"))))
        .isEqualTo(ResultCode.ASSERTION_FAILED);
    assertThat(
            directory.code(
                modify(List.of(assertion("nothing", "x")), LEAF, change(2, "description", "red"))))
        .isEqualTo(ResultCode.ASSERTION_FAILED);
    assertThat(directory.code(rename(LEAF, "ou=x", true, assertion("ou", "LEAF"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(delete("ou=x," + UpdateFixture.TOP, assertion("ou", "x"))))
        .isEqualTo(ResultCode.SUCCESS);
    for (String cn : List.of("y", "x")) {
      assertThat(
              directory.code(
                  add(
                      List.of(assertion("cn", cn)),
                      "cn=x," + PEOPLE,
                      "objectClass",
                      "device",
                      "cn",
                      "x")))
          .isEqualTo(cn.equals("x") ? ResultCode.SUCCESS : ResultCode.ASSERTION_FAILED);
    }
  }

  @Test
  void shouldDoEverythingButTheChangeWhenAsked() throws InvalidBerException {
    RequestControl noOp = control(ControlType.NO_OP);
    List<String> before = List.copyOf(directory.names());
    RecordingSink sink =
        directory.run(
            modify(
                List.of(noOp, read(ControlType.POST_READ, "description")),
                LEAF,
                change(2, "description", "red")));
    assertThat(sink.code()).isEqualTo(ResultCode.NO_OPERATION);
    assertThat(entry(sink, POST_READ)).containsEntry("description", List.of("red"));
    assertThat(directory.stored(LEAF)).containsEntry("description", List.of("green"));
    assertThat(directory.code(delete(LEAF, noOp))).isEqualTo(ResultCode.NO_OPERATION);
    assertThat(directory.code(delete(PEOPLE, noOp))).isEqualTo(ResultCode.NOT_ALLOWED_ON_NON_LEAF);
    assertThat(directory.code(rename(LEAF, "ou=x", true, noOp))).isEqualTo(ResultCode.NO_OPERATION);
    assertThat(
            directory.code(
                add(List.of(noOp), "cn=x," + PEOPLE, "objectClass", "device", "cn", "x")))
        .isEqualTo(ResultCode.NO_OPERATION);
    assertThat(directory.names()).containsExactlyElementsOf(before);
  }

  @Test
  void shouldAddAndDeletePermissively() {
    RequestControl permissive = control(ControlType.PERMISSIVE_MODIFY);
    assertThat(
            directory.code(
                modify(
                    List.of(permissive),
                    LEAF,
                    change(0, "description", "GREEN", "red"),
                    change(1, "l", "nowhere"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored(LEAF)).containsEntry("description", List.of("green", "red"));
  }

  @Test
  void shouldRelaxRulesForRootOnly() {
    RequestControl relax = control(ControlType.RELAX_RULES);
    String uuid = "3f2b1ab0-0000-1000-8000-000000000001";
    Request.Add add =
        add(
            List.of(relax),
            "cn=x," + PEOPLE,
            "objectClass",
            "device",
            "cn",
            "x",
            "entryUUID",
            uuid,
            "creatorsName",
            "cn=somebody",
            "createTimestamp",
            "20200101000000Z");
    directory.access = new AccessPolicy(false).withWriters(java.util.Set.of(UpdateFixture.dn(ANN)));
    directory.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
    assertThat(directory.code(add)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    directory.identity = OperationFixture.ROOT;
    assertThat(directory.code(add)).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("cn=x," + PEOPLE))
        .containsEntry("entryUUID", List.of(uuid))
        .containsEntry("creatorsName", List.of("cn=somebody"))
        .containsEntry("createTimestamp", List.of("20200101000000Z"))
        .containsEntry("modifiersName", List.of("cn=admin,dc=example,dc=com"));
    assertThat(
            directory.code(
                modify(
                    List.of(relax),
                    "cn=x," + PEOPLE,
                    change(2, "objectClass", "organizationalRole"),
                    change(2, "modifiersName", "cn=nobody"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("cn=x," + PEOPLE))
        .containsEntry("structuralObjectClass", List.of("organizationalRole"))
        .containsEntry("modifiersName", List.of("cn=nobody"));
  }

  @Test
  void shouldNotTakeAnAssertionForTrueWhenGroupsWereNotLookedAt() {
    directory.membership =
        Membership.of(
            SCHEMA.attributeType("memberOf"), List.of(SCHEMA.attributeType("member")), false, 1);
    for (String cn : List.of("a", "b")) {
      String name = "cn=" + cn + "," + PEOPLE;
      assertThat(directory.code(add(name, "objectClass", "groupOfNames", "cn", cn, "member", ANN)))
          .isEqualTo(ResultCode.SUCCESS);
    }
    for (String cn : List.of("a", "b")) {
      FilterNode isMember =
          new FilterNode.Extensible(
              "1.2.840.113556.1.4.1941",
              "memberOf",
              ("cn=" + cn + "," + PEOPLE).getBytes(UTF_8),
              false);
      for (FilterNode filter : List.of(isMember, new FilterNode.Not(isMember))) {
        RequestControl assertion =
            new RequestControl(ControlType.ASSERTION.oid(), true, FilterWriter.encode(filter));
        assertThat(directory.code(modify(List.of(assertion), ANN, change(2, "title", "x"))))
            .as("%s", filter)
            .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
      }
    }
  }

  @Test
  void shouldRefuseAssertionsThatWouldHoldUpTheWriter() {
    String[] texts = new String[2_000];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "text number " + i;
    }
    assertThat(directory.code(modify(ANN, change(2, "description", texts))))
        .isEqualTo(ResultCode.SUCCESS);
    List<FilterNode> tests = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      byte[] piece = ("nothing" + i).getBytes(UTF_8);
      tests.add(new FilterNode.Substrings("description", null, List.of(piece), null));
    }
    RequestControl costly =
        new RequestControl(
            ControlType.ASSERTION.oid(), true, FilterWriter.encode(new FilterNode.Or(tests)));
    RequestControl cheap =
        new RequestControl(
            ControlType.ASSERTION.oid(), true, FilterWriter.encode(tests.getFirst()));
    assertThat(directory.code(modify(List.of(costly), ANN, change(2, "title", "x"))))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.code(rename(ANN, "uid=other", true, costly)))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.code(delete(ANN, costly))).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.stored(ANN)).doesNotContainKey("title");
    assertThat(directory.code(delete(ANN, cheap))).isEqualTo(ResultCode.ASSERTION_FAILED);
    assertThat(directory.code(modify(LEAF, change(2, "description", "x"))))
        .as("of a neighbour")
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldStoreNothingOfWhatIsComputed() {
    RequestControl relax = control(ControlType.RELAX_RULES);
    directory.membership =
        Membership.of(
            SCHEMA.attributeType("memberOf"), List.of(SCHEMA.attributeType("member")), false, 9);
    assertThat(directory.code(modify(List.of(relax), ANN, change(0, "memberOf", LEAF))))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(
            directory.code(
                add(
                    List.of(relax),
                    "ou=x," + PEOPLE,
                    "objectClass",
                    "organizationalUnit",
                    "ou",
                    "x",
                    "memberOf",
                    LEAF)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
  }
}
