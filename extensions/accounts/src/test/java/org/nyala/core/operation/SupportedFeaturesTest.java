package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.search;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.directory.virtual.RootDse;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.extended.CancelOperation;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.operation.extended.WhoAmIOperation;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.operation.update.StartTransaction;

/** Tests one effect of each operation and feature that the root DSE lists. */
class SupportedFeaturesTest {
  private static final String ACCOUNT = "uid=bo," + PEOPLE;

  private final UpdateFixture directory = new UpdateFixture();

  @AfterEach
  void close() {
    directory.close();
  }

  private ResultCode code(Request request) {
    return directory.code(request);
  }

  @Test
  void shouldCarryOutEveryListedExtendedOperation() {
    List<String> oids = directory.listed("supportedExtension");
    assertThat(oids).containsExactlyInAnyOrderElementsOf(ExtendedOperation.OIDS);
    for (String oid : oids) {
      BerWriter content = new BerWriter();
      switch (oid) {
        case WhoAmIOperation.OID -> {
          RecordingSink sink = directory.run(new Request.Extended(1, oid, null, List.of()));
          assertThat(sink.extendedValue).isNotEmpty();
        }
        case StartTransaction.OID -> {
          RecordingSink sink = directory.run(new Request.Extended(1, oid, null, List.of()));
          assertThat(sink.extendedValue).isNotEmpty();
        }
        case EndTransaction.OID ->
            assertThat(extended(oid, content.octets(new byte[] {9})))
                .isNotIn(ResultCode.SUCCESS, ResultCode.PROTOCOL_ERROR);
        case CancelOperation.OID ->
            assertThat(extended(oid, content.integer(77))).isEqualTo(ResultCode.NO_SUCH_OPERATION);
        default -> {
          assertThat(oid).isEqualTo(AccountControl.PASSWORD_MODIFY);
          content.octets(0x80, bytes(ANN)).octets(0x82, bytes("new secret"));
          assertThat(extended(oid, content)).isEqualTo(ResultCode.SUCCESS);
          assertThat(directory.stored(ANN)).containsKey("userPassword");
        }
      }
    }
    assertThat(code(new Request.Extended(1, "1.2.3", null, List.of())))
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
  }

  private ResultCode extended(String oid, BerWriter content) {
    byte[] value = new BerWriter().sequence(content).toByteArray();
    return code(new Request.Extended(1, oid, value, List.of()));
  }

  @Test
  void shouldHaveEveryListedFeature() {
    addAccount();
    assertThat(directory.listed("supportedFeatures"))
        .containsExactlyInAnyOrderElementsOf(RootDse.FEATURES)
        .doesNotHaveDuplicates()
        .allSatisfy(this::driveFeature);
  }

  private void addAccount() {
    Request account =
        add(
            ACCOUNT,
            "objectClass",
            "account",
            "objectClass",
            "posixAccount",
            "uid",
            "bo",
            "cn",
            "Bo",
            "cn;lang-de",
            "Boe",
            "uidNumber",
            "7",
            "gidNumber",
            "1",
            "homeDirectory",
            "/");
    assertThat(code(account)).isEqualTo(ResultCode.SUCCESS);
  }

  private void driveFeature(String oid) {
    switch (oid) {
      case "1.3.6.1.4.1.4203.1.5.1" ->
          assertThat(shown("+")).containsKeys("entryUUID", "entryDN").doesNotContainKey("cn");
      case "1.3.6.1.4.1.4203.1.5.2" ->
          assertThat(shown("@posixAccount")).containsKey("uidNumber").doesNotContainKey("host");
      case "1.3.6.1.4.1.4203.1.5.3" -> {
        FilterNode everything = new FilterNode.And(List.of());
        FilterNode nothing = new FilterNode.Or(List.of());
        assertThat(directory.run(search(ACCOUNT, Scope.BASE, everything)).dns).hasSize(1);
        assertThat(directory.run(search(ACCOUNT, Scope.BASE, nothing)).dns).isEmpty();
      }
      case "1.3.6.1.4.1.4203.1.5.5" ->
          assertThat(shown("cn;lang-de-")).containsOnlyKeys("cn;lang-de");
      case "1.3.6.1.4.1.4203.1.5.4" -> assertThat(shown("cn;lang-de")).hasSize(1);
      default -> {
        assertThat(oid).isEqualTo("1.3.6.1.1.14");
        Request.Change increment = change(3, "uidNumber", "5");
        assertThat(code(modify(ACCOUNT, increment))).isEqualTo(ResultCode.SUCCESS);
        assertThat(shown("uidNumber").get("uidNumber")).containsExactly("12");
      }
    }
  }

  private Map<String, List<String>> shown(String attribute) {
    return directory.run(search(ACCOUNT, Scope.BASE, ALL, attribute)).attributes.getFirst();
  }
}
