package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ALIAS;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.AWAY;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

final class ModifyOperationTest {
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;

  private final UpdateFixture directory = new UpdateFixture();

  @AfterEach
  void close() {
    directory.close();
  }

  private ResultCode code(String name, Request.Change... changes) {
    return directory.code(modify(name, changes));
  }

  @Test
  void shouldChangeAttributesAndNoteWhoDid() {
    assertThat(
            code(
                LEAF,
                change(ADD, "description", "red", "yellow"),
                change(DELETE, "description", "GREEN"),
                change(REPLACE, "l", "Here")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored(LEAF))
        .containsEntry("description", List.of("red", "yellow"))
        .containsEntry("l", List.of("Here"))
        .containsEntry("ou", List.of("leaf"))
        .containsEntry("modifiersName", List.of("cn=admin,dc=example,dc=com"))
        .containsEntry("modifyTimestamp", List.of("20260131120000Z"))
        .containsEntry("entryCSN", List.of("20260131120000.000000Z#000000#001#000000"))
        .doesNotContainKeys("creatorsName", "createTimestamp");
    assertThat(code(LEAF, change(DELETE, "description"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored(LEAF))
        .doesNotContainKey("description")
        .containsEntry("entryCSN", List.of("20260131120000.000001Z#000000#001#000000"));
  }

  @Test
  void shouldSpellObjectClassesAsTheSchemaDoes() {
    assertThat(code(LEAF, change(ADD, "objectClass", "EXTENSIBLEobject")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored(LEAF).get("objectClass")).contains("extensibleObject");
  }

  @Test
  void shouldTakeAnEmptyModifyForDone() {
    assertThat(code(LEAF)).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored(LEAF)).doesNotContainKey("modifiersName");
    assertThat(code("ou=missing," + LEAF)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldRefuseAllOrNothing() {
    assertThat(code(LEAF, change(REPLACE, "l", "There"), change(DELETE, "description", "blue")))
        .isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    assertThat(code(LEAF, change(ADD, "description", "Green")))
        .isEqualTo(ResultCode.ATTRIBUTE_OR_VALUE_EXISTS);
    assertThat(code(LEAF, change(ADD, "entryUUID", "00000000-0000-0000-0000-000000000001")))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(code(LEAF, change(ADD, "sn", "x"))).isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(code(LEAF, change(DELETE, "ou"))).isNotEqualTo(ResultCode.SUCCESS);
    assertThat(code(LEAF, change(REPLACE, "objectClass", "device")))
        .isNotEqualTo(ResultCode.SUCCESS);
    assertThat(code(LEAF, change(7, "l", "x"))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(directory.stored(LEAF)).doesNotContainKeys("l", "entryCSN");
  }

  /** A certificate with serial number 257 and all other fields empty. */
  private static final String CERTIFICATE =
      "0\u00150\u000e\u0002\u0002\u0001\u0001" + "0\0".repeat(6) + "\u0003\u0001\0";

  @Test
  void shouldNameOnlySoManyDescriptionsWithOptions() {
    directory.limits =
        TestLimits.with(
            ServerLimits.DEFAULT,
            new ServerLimits.UpdateLimits(
                16, 16, 5, 100, 2, 3_000_000, ServerLimits.EntrySizes.DEFAULT));
    Request.Change a = change(ADD, "description;lang-a", "x");
    Request.Change b = change(ADD, "description;lang-b", "x");
    Request.Change c = change(ADD, "l;lang-a", "x");
    assertThat(code(LEAF, a, b, c)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.stored(LEAF)).doesNotContainKey("description;lang-a");
    assertThat(code(LEAF, a, b)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(LEAF, c)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(code(LEAF, change(DELETE, "description;lang-a"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(LEAF, c)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(code(LEAF, change(REPLACE, "l;lang-c"), a)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(ANN, b, change(ADD, "userCertificate;binary", CERTIFICATE)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(unitWith("l;lang-a"))).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.code(unitWith("description;lang-b"))).isEqualTo(ResultCode.SUCCESS);
  }

  private static Request.Add unitWith(String attribute) {
    return add("ou=a," + LEAF, "objectClass", "organizationalUnit", "ou", "a", attribute, "x");
  }

  @Test
  void shouldReferAndLeaveTheServersOwnEntriesAlone() {
    Request.Change change = change(ADD, "description", "x");
    assertThat(code(AWAY, change)).isEqualTo(ResultCode.REFERRAL);
    assertThat(directory.code(modify(List.of(OperationFixture.manageDsaIt()), AWAY, change)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(code(ALIAS, change)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code("", change)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(code("cn=Subschema", change)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(code("dc=nowhere", change)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  @Test
  void shouldKeepPasswordsFromNobodyWhoMaySetThem() {
    assertThat(code(ANN, change(REPLACE, "userPassword", "secret"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored(ANN)).containsEntry("userPassword", List.of("secret"));
  }

  @Test
  void shouldTakeCertificatesWithBytesBehindThem() {
    Request.Change longer = change(ADD, "userCertificate;binary", CERTIFICATE + "\n0\0more");
    assertThat(code(ANN, longer)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(ANN, change(ADD, "userCertificate;binary", CERTIFICATE)))
        .isEqualTo(ResultCode.ATTRIBUTE_OR_VALUE_EXISTS);
    assertThat(code(ANN, change(DELETE, "userCertificate;binary", CERTIFICATE)))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldBoundWhatAnEntryGrowsToWithManyChanges() {
    ServerLimits.UpdateLimits d = ServerLimits.UpdateLimits.DEFAULT;
    directory.limits =
        TestLimits.with(
            ServerLimits.DEFAULT,
            new ServerLimits.UpdateLimits(
                d.writeQueue(),
                16,
                5,
                100,
                2,
                d.ruleLookups(),
                new ServerLimits.EntrySizes(5000, 8000)));
    for (int i = 0; i < 4; i++) {
      assertThat(code(LEAF, change(ADD, "description", i + "x".repeat(1000))))
          .isEqualTo(ResultCode.SUCCESS);
    }
    Request.Change more = change(ADD, "l", "x".repeat(1000));
    assertThat(code(LEAF, more)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.stored(LEAF)).doesNotContainKey("l");
    assertThat(code(LEAF, change(DELETE, "description", "0" + "x".repeat(1000)), more))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(code(LEAF, change(REPLACE, "description", "y".repeat(3000))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(unitWith("description;lang-a"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(
            directory.code(
                add(
                    "ou=b," + LEAF,
                    "objectClass",
                    "organizationalUnit",
                    "description",
                    "x".repeat(6000))))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }
}
