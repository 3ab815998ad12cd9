package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ALIAS;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.AWAY;
import static org.nyala.core.operation.UpdateFixture.OTHER;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.ServerLimits.RequestLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

final class AddOperationTest {
  private final UpdateFixture directory = new UpdateFixture();

  @AfterEach
  void close() {
    directory.close();
  }

  private ResultCode device(String name, RequestControl... controls) {
    return directory.code(add(List.of(controls), name, "objectClass", "device", "cn", "x"));
  }

  @Test
  void shouldAddAnEntryWithWhatTheServerKeepsOfIt() {
    assertThat(directory.code(add("cn=X," + PEOPLE, "objectClass", "device", "cn", "X")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("cn=x," + PEOPLE))
        .isEqualTo(
            Map.of(
                "objectClass", List.of("device"),
                "cn", List.of("X"),
                "structuralObjectClass", List.of("device"),
                "entryUUID", List.of("00000000-0000-0000-0000-000000000001"),
                "creatorsName", List.of("cn=admin,dc=example,dc=com"),
                "createTimestamp", List.of("20260131120000Z"),
                "modifiersName", List.of("cn=admin,dc=example,dc=com"),
                "modifyTimestamp", List.of("20260131120000Z"),
                "entryCSN", List.of("20260131120000.000000Z#000000#001#000000")));
  }

  @Test
  void shouldSpellObjectClassesAsTheSchemaDoes() {
    Request add =
        add("cn=X," + PEOPLE, "objectClass", "DEVICE", "objectClass", "2.5.6.0", "cn", "X");
    assertThat(directory.code(add)).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("cn=x," + PEOPLE).get("objectClass"))
        .containsExactly("device", "top");
  }

  @Test
  void shouldAddTheTopOfANamingContextAndWhatIsBelow() {
    assertThat(directory.code(add(OTHER, "objectClass", "domain", "dc", "other")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(device("cn=x," + OTHER)).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldSayWhatIsMissingAbove() {
    assertThat(device("cn=x,ou=nowhere," + PEOPLE)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    LdapResult result =
        directory.result(
            add("cn=x,ou=nowhere,ou=PEOPLE," + TOP, "objectClass", "device", "cn", "x"));
    assertThat(result.matchedDn()).isEqualTo(PEOPLE);
    assertThat(device("cn=x," + OTHER)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldRefuseWhereTheEntryMayNotStand() {
    for (String name : List.of(UpdateFixture.LEAF, AWAY)) {
      assertThat(directory.code(add(name, "objectClass", "organizationalUnit")))
          .isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
    }
    assertThat(device("")).isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
    assertThat(device("cn=Subschema")).isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
    assertThat(device("cn=x,dc=nowhere")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(device("cn=x," + ALIAS)).isEqualTo(ResultCode.ALIAS_PROBLEM);
    assertThat(device("no name")).isEqualTo(ResultCode.INVALID_DN_SYNTAX);
  }

  @Test
  void shouldReferBelowReferralObjectsWhoeverManagesThem() {
    LdapResult result = directory.result(add("cn=x," + AWAY, "objectClass", "device", "cn", "x"));
    assertThat(result.code()).isEqualTo(ResultCode.REFERRAL);
    assertThat(result.matchedDn()).isEqualTo(AWAY);
    assertThat(result.referrals())
        .containsExactly("ldap://elsewhere.example.com/cn=x,ou=away,dc=example,dc=com");
    assertThat(device("cn=x," + AWAY, OperationFixture.manageDsaIt()))
        .isEqualTo(ResultCode.REFERRAL);
  }

  @Test
  void shouldCheckWhatIsPresented() {
    assertThat(directory.code(add("cn=x," + PEOPLE))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(directory.code(add("cn=x," + PEOPLE, "cn", "x")))
        .isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(directory.code(add("cn=x," + PEOPLE, "objectClass", "person", "cn", "x")))
        .isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(directory.code(add("cn=x," + PEOPLE, "objectClass", "device", "nothing", "x")))
        .isEqualTo(ResultCode.UNDEFINED_ATTRIBUTE_TYPE);
    assertThat(directory.names()).hasSize(6);
  }

  @Test
  void shouldAddTheValuesOfTheRdn() {
    assertThat(directory.code(add("cn=a+serialNumber=7," + PEOPLE, "objectClass", "device")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("serialNumber=7+cn=A," + PEOPLE))
        .containsEntry("cn", List.of("a"))
        .containsEntry("serialNumber", List.of("7"));
  }

  @Test
  void shouldTakeChangesFromWritersOnly() {
    directory.access = new AccessPolicy(true).withWriters(java.util.Set.of(UpdateFixture.dn(ANN)));
    directory.identity = BoundIdentity.ANONYMOUS;
    assertThat(device("cn=x," + PEOPLE)).isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
    directory.identity = new BoundIdentity(UpdateFixture.dn("uid=bob," + PEOPLE), false);
    assertThat(device("cn=x," + PEOPLE)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    directory.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
    assertThat(device("cn=x," + PEOPLE)).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("cn=x," + PEOPLE)).containsEntry("creatorsName", List.of(ANN));
  }

  @Test
  void shouldRefuseEverythingWhereTheDirectoryIsReadOnly() {
    directory.readOnly = true;
    assertThat(device("cn=x," + PEOPLE)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  /** The parent is given in a shorter spelling than the one that is stored and shown. */
  @Test
  void shouldBoundTheNameAsItIsShown() {
    directory.limits = limited(100);
    String shown = "ou=" + "\\2b".repeat(20) + "," + TOP;
    String shorter = "ou=" + "\\+".repeat(20) + "," + TOP;
    Request.Add unit = add(shown, "objectClass", "organizationalUnit");
    assertThat(directory.code(unit)).isEqualTo(ResultCode.SUCCESS);
    assertThat(device("cn=" + "x".repeat(15) + "," + shorter)).isEqualTo(ResultCode.SUCCESS);
    assertThat(device("cn=" + "x".repeat(16) + "," + shorter))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  private static ServerLimits limited(int dnLength) {
    RequestLimits requests = ServerLimits.DEFAULT.requests();
    return TestLimits.with(
        ServerLimits.DEFAULT, TestLimits.names(requests, dnLength, requests.dnRdns()));
  }
}
