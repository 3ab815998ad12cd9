package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ControlledEntries.ANN;
import static org.nyala.core.operation.ControlledEntries.AWAY;
import static org.nyala.core.operation.ControlledEntries.GROUP;
import static org.nyala.core.operation.ControlledEntries.POLICY;
import static org.nyala.core.operation.ControlledEntries.TOP;
import static org.nyala.core.operation.ControlledEntries.control;
import static org.nyala.core.operation.ControlledEntries.entries;
import static org.nyala.core.operation.ControlledEntries.equal;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.SessionTracking;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests the effects of controls on searches, compares, binds and extended operations. */
final class ControlsTest {
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";

  private final OperationFixture directory = new OperationFixture().store(entries(), false);

  private static RequestControl subentries(boolean visible) {
    return control(ControlType.SUBENTRIES, new BerWriter().bool(visible).toByteArray());
  }

  private static RequestControl assertion(FilterNode filter) {
    return control(ControlType.ASSERTION, FilterWriter.encode(filter));
  }

  private static RequestControl proxied(String authorizationId) {
    return control(ControlType.PROXIED_AUTHORIZATION, bytes(authorizationId));
  }

  private List<String> found(String base, Scope scope, RequestControl... controls) {
    RecordingSink sink = directory.run(with(search(base, scope, ALL), controls));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    return sink.dns;
  }

  private ResultCode searched(String base, RequestControl... controls) {
    return directory.run(with(search(base, Scope.BASE, ALL), controls)).code();
  }

  /* Criticality and repetition. */

  private static List<Request> requests(List<RequestControl> controls) {
    return List.of(
        new Request.Search(
            1, TOP, Scope.SUBTREE, DerefAliases.NEVER, 0, 0, false, ALL, List.of(), controls),
        new Request.Bind(1, 3, "", null, new byte[0], controls),
        new Request.Compare(1, ANN, "cn", bytes("nan"), controls),
        new Request.Extended(1, WHO_AM_I, null, controls));
  }

  @Test
  void shouldHonourRefuseOrIgnoreEveryControl() {
    for (ControlType type : ControlType.values()) {
      byte[] value = SampleControls.value(type);
      List<Request> critical = requests(List.of(new RequestControl(type.oid(), true, value)));
      List<Request> optional = requests(List.of(new RequestControl(type.oid(), false, value)));
      for (int i = 0; i < critical.size(); i++) {
        Request request = critical.get(i);
        if (!SampleControls.SUPPORTED.of(request).contains(type)) {
          assertThat(directory.run(request).code())
              .as("%s on %s", type, request)
              .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
          assertThat(directory.run(optional.get(i)).code())
              .as("%s on %s", type, request)
              .isIn(
                  type == ControlType.PROXIED_AUTHORIZATION
                      ? List.of(ResultCode.PROTOCOL_ERROR)
                      : List.of(ResultCode.SUCCESS, ResultCode.COMPARE_TRUE));
        } else {
          assertThat(directory.run(request).code())
              .as("%s on %s", type, request)
              .isNotIn(
                  ResultCode.UNAVAILABLE_CRITICAL_EXTENSION,
                  ResultCode.PROTOCOL_ERROR,
                  ResultCode.OTHER);
        }
      }
    }
  }

  @Test
  void shouldListExactlyWhatIsHonoured() {
    Request.Search search = search("", Scope.BASE, ALL, "supportedControl", "supportedExtension");
    Map<String, List<String>> shown = directory.run(search).attributes.getFirst();
    assertThat(shown.get("supportedControl"))
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(SampleControls.SUPPORTED.oids());
    List<String> honoured = new ArrayList<>();
    for (ControlType type : ControlType.values()) {
      boolean isHonoured =
          RequestKinds.all().stream()
              .anyMatch(request -> SampleControls.SUPPORTED.of(request).contains(type));
      if (isHonoured) {
        honoured.addAll(type.oids());
      }
    }
    assertThat(shown.get("supportedControl")).containsExactlyInAnyOrderElementsOf(honoured);
    assertThat(shown.get("supportedExtension"))
        .containsExactlyInAnyOrderElementsOf(ExtendedOperation.OIDS);
  }

  /* Subentries. */

  @Test
  void shouldShowSubentriesOrEntries() {
    RequestControl quiet = OperationFixture.manageDsaIt();
    assertThat(found(TOP, Scope.SUBTREE, quiet)).containsExactly(TOP, ANN, GROUP, AWAY);
    assertThat(found(TOP, Scope.SUBTREE, quiet, subentries(false)))
        .containsExactly(TOP, ANN, GROUP, AWAY);
    assertThat(found(TOP, Scope.SUBTREE, quiet, subentries(true))).containsExactly(POLICY);
    assertThat(found(TOP, Scope.ONE_LEVEL, quiet, subentries(true))).containsExactly(POLICY);
    assertThat(found(POLICY, Scope.BASE)).containsExactly(POLICY);
    assertThat(found(POLICY, Scope.BASE, subentries(true))).containsExactly(POLICY);
    assertThat(found(POLICY, Scope.BASE, subentries(false))).isEmpty();
    assertThat(found(TOP, Scope.BASE, subentries(true))).isEmpty();
    assertThat(found("cn=Subschema", Scope.BASE, subentries(false))).hasSize(1);
    assertThat(found("", Scope.BASE, subentries(true))).hasSize(1);
  }

  /* Assertions. */

  @Test
  void shouldSearchOnlyWhereTheAssertionIsTrueOfTheBase() {
    RequestControl isDomain = assertion(equal("objectClass", "domain"));
    assertThat(found(TOP, Scope.SUBTREE, isDomain)).containsExactly(TOP, ANN, GROUP);
    assertThat(searched(ANN, isDomain)).isEqualTo(ResultCode.ASSERTION_FAILED);
    assertThat(searched(ANN, assertion(equal("cn", "NAN")))).isEqualTo(ResultCode.SUCCESS);
    assertThat(searched(ANN, assertion(new FilterNode.Not(equal("noSuchAttribute", "x")))))
        .isEqualTo(ResultCode.ASSERTION_FAILED);
    assertThat(searched(ANN, assertion(equal("userPassword", "secret"))))
        .isEqualTo(ResultCode.ASSERTION_FAILED);
    assertThat(searched("", assertion(equal("vendorName", "Nyala")))).isEqualTo(ResultCode.SUCCESS);
    assertThat(searched("", assertion(equal("vendorName", "x"))))
        .isEqualTo(ResultCode.ASSERTION_FAILED);
    assertThat(searched("uid=nobody," + TOP, isDomain)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  private ResultCode compared(String value, RequestControl... controls) {
    return directory.run(new Request.Compare(1, ANN, "cn", bytes(value), List.of(controls))).code();
  }

  @Test
  void shouldCompareOnlyWhereTheAssertionIsTrue() {
    RequestControl isTrue = assertion(equal("sn", "a"));
    RequestControl isFalse = assertion(equal("sn", "b"));
    assertThat(compared("nan", isTrue)).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compared("x", isTrue)).isEqualTo(ResultCode.COMPARE_FALSE);
    assertThat(compared("nan", isFalse)).isEqualTo(ResultCode.ASSERTION_FAILED);
    assertThat(compared("nan", control(ControlType.ASSERTION, bytes("x"))))
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(compared("nan", control(ControlType.ASSERTION, null)))
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
  }

  /* Proxied authorization. */

  private String whoAmI(RequestControl... controls) {
    RecordingSink sink = directory.run(new Request.Extended(1, WHO_AM_I, null, List.of(controls)));
    return sink.code() == ResultCode.SUCCESS
        ? new String(sink.extendedValue, StandardCharsets.UTF_8)
        : sink.code().toString();
  }

  @Test
  void shouldLetRootActOnBehalfOfOthers() {
    directory.identity = OperationFixture.ROOT;
    assertThat(whoAmI()).isEqualTo("dn:" + ROOT);
    assertThat(whoAmI(proxied("dn:" + ANN))).isEqualTo("dn:" + ANN);
    assertThat(whoAmI(proxied("DN:" + ROOT))).isEqualTo("dn:" + ROOT);
    assertThat(whoAmI(proxied(""))).isEmpty();
    assertThat(whoAmI(proxied("dn:"))).isEmpty();
    assertThat(whoAmI(proxied("u:ann"))).isEqualTo("AUTHORIZATION_DENIED");
    assertThat(whoAmI(proxied("dn:no name"))).isEqualTo("AUTHORIZATION_DENIED");
    assertThat(whoAmI(proxied("ann"))).isEqualTo("AUTHORIZATION_DENIED");
    RequestControl optional =
        new RequestControl(ControlType.PROXIED_AUTHORIZATION.oid(), false, bytes("dn:" + ANN));
    assertThat(whoAmI(optional)).isEqualTo("PROTOCOL_ERROR");
  }

  @Test
  void shouldLetNobodyElseActOnBehalfOfOthers() {
    assertThat(whoAmI(proxied("dn:" + ANN))).isEqualTo("AUTHORIZATION_DENIED");
    assertThat(whoAmI(proxied(""))).isEqualTo("AUTHORIZATION_DENIED");
    directory.identity = BoundIdentity.ANONYMOUS;
    assertThat(whoAmI(proxied("dn:" + ROOT))).isEqualTo("AUTHORIZATION_DENIED");
  }

  @Test
  void shouldGoByTheProxiedIdentity() {
    directory.identity = OperationFixture.ROOT;
    assertThat(searched(ANN, proxied("dn:" + ANN))).isEqualTo(ResultCode.SUCCESS);
    assertThat(searched(ANN, proxied(""))).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(compared("nan", proxied(""))).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(compared("nan", proxied("dn:" + ROOT))).isEqualTo(ResultCode.COMPARE_TRUE);
  }

  /* Session tracking. */

  @Test
  void shouldKeepWhoIsBehindTheClient() {
    byte[] value = SampleControls.value(ControlType.SESSION_TRACKING);
    Request.Extended request =
        new Request.Extended(
            1, WHO_AM_I, null, List.of(control(ControlType.SESSION_TRACKING, value)));
    Operation operation = directory.operation(request, new RecordingSink(1));
    assertThat(operation.tracking()).isNull();
    operation.run(directory.budget);
    assertThat(operation.tracking())
        .isEqualTo(new SessionTracking("192.0.2.1", "app.example.com", "1.2.3.4", "ann"));
    RequestControl damaged = control(ControlType.SESSION_TRACKING, bytes("x"));
    assertThat(searched(ANN, damaged)).isEqualTo(ResultCode.SUCCESS);
    assertThat(searched(ANN, damaged, control(ControlType.SESSION_TRACKING, null)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(searched(ANN, request.controls().getFirst(), request.controls().getFirst()))
        .isEqualTo(ResultCode.SUCCESS);
    BerWriter longAddress = new BerWriter().text("1".repeat(129)).text("").text("").text("");
    RequestControl tooLong =
        control(ControlType.SESSION_TRACKING, new BerWriter().sequence(longAddress).toByteArray());
    assertThat(searched(ANN, tooLong)).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldRefuseWhatComesTwiceOnlyWhereItIsHonoured() {
    RequestControl noOp = new RequestControl(ControlType.NO_OP.oid(), false, null);
    RequestControl unknown = new RequestControl("1.2.3", false, null);
    assertThat(searched(ANN, noOp, noOp, unknown, unknown)).isEqualTo(ResultCode.SUCCESS);
    RequestControl honoured = OperationFixture.manageDsaIt();
    assertThat(searched(ANN, honoured, honoured)).isEqualTo(ResultCode.PROTOCOL_ERROR);
  }
}
