package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.manageDsaIt;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OperationFixture;

final class OtherOperationsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann,dc=example,dc=com";
  private static final String AWAY = "ou=away,dc=example,dc=com";

  private final OperationFixture directory = new OperationFixture().store(entries(), false);

  private static List<Entry> entries() {
    return List.of(
        entry(TOP, "objectClass", "domain", "dc", "example"),
        entry(
            ANN,
            "objectClass",
            "inetOrgPerson",
            "uid",
            "ann",
            "cn",
            "Ann A",
            "uidNumber",
            "7",
            "userPassword",
            "secret"),
        entry(AWAY, "objectClass", "referral", "ou", "away", "ref", "ldap://away.example/"));
  }

  private ResultCode compare(
      String name, String attribute, String value, RequestControl... controls) {
    return directory
        .run(new Request.Compare(1, name, attribute, bytes(value), List.of(controls)))
        .code();
  }

  @Test
  void shouldCompareByTheEqualityRule() {
    assertThat(compare(ANN, "cn", "ANN  a")).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(ANN, "name", "ann a")).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(ANN, "cn", "ann")).isEqualTo(ResultCode.COMPARE_FALSE);
    assertThat(compare(ANN, "entryDN", "UID=ANN," + TOP)).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(TOP, "hasSubordinates", "TRUE")).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare("", "supportedLDAPVersion", "3")).isEqualTo(ResultCode.COMPARE_TRUE);
  }

  @Test
  void shouldSayWhyItCannotCompare() {
    assertThat(compare(ANN, "mail", "a@b")).isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    assertThat(compare(ANN, "noSuchAttribute", "x")).isEqualTo(ResultCode.UNDEFINED_ATTRIBUTE_TYPE);
    assertThat(compare(ANN, "cn;x-foo", "x")).isEqualTo(ResultCode.UNDEFINED_ATTRIBUTE_TYPE);
    assertThat(compare(ANN, "cn;lang-en", "x")).isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    assertThat(compare(ANN, "jpegPhoto", "x")).isEqualTo(ResultCode.INAPPROPRIATE_MATCHING);
    assertThat(compare(ANN, "uidNumber", "seven")).isEqualTo(ResultCode.INVALID_ATTRIBUTE_SYNTAX);
    assertThat(compare(ANN, "userPassword", "secret"))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(compare("uid=bob," + TOP, "cn", "x")).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(compare(AWAY, "ou", "away")).isEqualTo(ResultCode.REFERRAL);
    assertThat(compare(AWAY, "ou", "away", manageDsaIt())).isEqualTo(ResultCode.COMPARE_TRUE);
    directory.identity = BoundIdentity.ANONYMOUS;
    assertThat(compare(ANN, "cn", "Ann A")).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldComparePasswordsForRootOnTheMachineItself() {
    directory.onThisMachine = true;
    assertThat(compare(ANN, "userPassword", "secret"))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    directory.identity = OperationFixture.ROOT;
    assertThat(compare(ANN, "userPassword", "secret")).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(ANN, "userPassword", "Secret")).isEqualTo(ResultCode.COMPARE_FALSE);
    assertThat(compare(TOP, "userPassword", "secret")).isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    directory.onThisMachine = false;
    assertThat(compare(ANN, "userPassword", "secret"))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }

  @Test
  void shouldSayWhoIsBound() {
    Request.Extended whoAmI = new Request.Extended(1, "1.3.6.1.4.1.4203.1.11.3", null, List.of());
    assertThat(text(directory.run(whoAmI))).isEqualTo("dn:uid=ann,ou=people,dc=example,dc=com");
    directory.identity = BoundIdentity.ANONYMOUS;
    assertThat(text(directory.run(whoAmI))).isEmpty();
    Request.Extended withValue =
        new Request.Extended(1, "1.3.6.1.4.1.4203.1.11.3", bytes("x"), List.of());
    assertThat(directory.run(withValue).code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
    // Client libraries compare this text, which is slapd's.
    assertThat(directory.run(new Request.Extended(1, "1.2.3", null, List.of())).results)
        .containsExactly(
            LdapResult.of(ResultCode.PROTOCOL_ERROR, "unsupported extended operation"));
  }

  private static String text(RecordingSink sink) {
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    return new String(sink.extendedValue, StandardCharsets.UTF_8);
  }

  @Test
  void shouldTakeNoChanges() {
    RequestControl unknown = new RequestControl("1.2.3", true, null);
    assertThat(directory.run(new Request.Add(1, ANN, List.of(), List.of())).code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.run(new Request.Delete(1, ANN, List.of())).code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.run(new Request.Modify(1, ANN, List.of(), List.of())).code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(
            directory
                .run(new Request.ModifyDn(1, ANN, "uid=b", true, null, List.of(manageDsaIt())))
                .code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.run(new Request.Delete(1, ANN, List.of(unknown))).code())
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
  }
}
