package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.AWAY;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.rename;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.SessionTracking;
import org.nyala.core.directory.SearchExplainers;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.extended.WhoAmIOperation;
import org.nyala.core.session.Operation;

/** Tests one effect of each control that the root DSE lists. */
class SupportedControlsTest {
  private static final Request.Change GREEN = change(2, "description", "green");

  private final UpdateFixture directory = new UpdateFixture();

  @AfterEach
  void close() {
    directory.close();
  }

  private static RequestControl control(ControlType type) {
    return new RequestControl(type.oid(), true, SampleControls.value(type));
  }

  private static RequestControl control(ControlType type, byte[] value) {
    return new RequestControl(type.oid(), true, value);
  }

  private static RequestControl never() {
    return control(ControlType.ASSERTION, FilterWriter.encode(new FilterNode.Present("seeAlso")));
  }

  private static RequestControl asAnn() {
    return control(ControlType.PROXIED_AUTHORIZATION, bytes("dn:" + ANN));
  }

  private ResultCode code(Request request) {
    return directory.code(request);
  }

  private RecordingSink searched(String base, Scope scope, RequestControl... controls) {
    return directory.run(with(search(base, scope, ALL), controls));
  }

  private void requireAnswered(RecordingSink sink, String oid) {
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.controlValues(oid)).hasSize(1);
  }

  @Test
  void shouldHaveAnEffectOfEveryListedControl() {
    Set<ControlType> listed = EnumSet.noneOf(ControlType.class);
    for (String oid : directory.listed("supportedControl")) {
      ControlType type =
          Arrays.stream(ControlType.values())
              .filter(each -> each.oids().contains(oid))
              .findFirst()
              .orElseThrow();
      listed.add(type);
    }
    assertThat(listed)
        .isEqualTo(
            EnumSet.complementOf(
                EnumSet.of(
                    ControlType.SYNC_REQUEST,
                    ControlType.PERSISTENT_SEARCH,
                    ControlType.DEREFERENCE)));
    listed.forEach(this::drive);
  }

  private void drive(ControlType type) {
    switch (type) {
      case MANAGE_DSA_IT -> {
        assertThat(searched(AWAY, Scope.BASE).code()).isEqualTo(ResultCode.REFERRAL);
        assertThat(searched(AWAY, Scope.BASE, control(type)).dns).containsExactly(AWAY);
      }
      case SUBENTRIES ->
          assertThat(
                  searched(TOP, Scope.SUBTREE, control(type), control(ControlType.MANAGE_DSA_IT)))
              .satisfies(sink -> assertThat(sink.dns).isEmpty());
      case PAGED_RESULTS, SORT -> driveList(type, control(type));
      case VIRTUAL_LIST_VIEW ->
          requireAnswered(
              searched(TOP, Scope.SUBTREE, control(ControlType.SORT), control(type)),
              "2.16.840.1.113730.3.4.10");
      case ASSERTION -> driveAssertion();
      case PRE_READ ->
          requireAnswered(directory.run(modify(List.of(control(type)), LEAF, GREEN)), type.oid());
      case POST_READ ->
          requireAnswered(directory.run(modify(List.of(control(type)), LEAF, GREEN)), type.oid());
      case MATCHED_VALUES ->
          assertThat(searched(LEAF, Scope.BASE, control(type)).attributes.getFirst()).isEmpty();
      case PROXIED_AUTHORIZATION -> driveProxied();
      case AUTHORIZATION_IDENTITY ->
          requireAnswered(
              directory.run(new Request.Bind(1, 3, "", null, new byte[0], List.of(control(type)))),
              "2.16.840.1.113730.3.4.15");
      case PASSWORD_POLICY ->
          requireAnswered(
              directory.run(new Request.Bind(1, 3, "", null, new byte[0], List.of(control(type)))),
              type.oid());
      case ACCOUNT_USABILITY ->
          // Entries without a password have none.
          assertThat(searched(LEAF, Scope.BASE, control(type)).dns).containsExactly(LEAF);
      case DONT_USE_COPY -> {
        // There are no copies to answer from.
        assertThat(searched(TOP, Scope.BASE, control(type)).dns).containsExactly(TOP);
        // Updates never apply to copies (RFC 6171, section 3).
        assertThat(code(modify(List.of(control(type)), LEAF, GREEN)))
            .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
      }
      case TREE_DELETE, PERMISSIVE_MODIFY, NO_OP, RELAX_RULES -> driveUpdate(type);
      case TRANSACTION ->
          assertThat(code(delete(LEAF, control(type)))).isNotEqualTo(ResultCode.SUCCESS);
      case SYNC_REQUEST, PERSISTENT_SEARCH, DEREFERENCE ->
          throw new AssertionError("a control of an extension");
      case EXPLAIN -> driveExplain(control(type));
      case EFFECTIVE_RIGHTS ->
          // There are no access rules.
          assertThat(searched(LEAF, Scope.BASE, control(type)).code())
              .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
      case SESSION_TRACKING -> driveTracking();
    }
    assertThat(directory.names()).as("%s", type).contains(LEAF);
  }

  private void driveList(ControlType type, RequestControl control) {
    String answer = type == ControlType.SORT ? "1.2.840.113556.1.4.474" : type.oid();
    requireAnswered(searched(TOP, Scope.SUBTREE, control), answer);
  }

  private void driveExplain(RequestControl control) {
    assertThat(searched(TOP, Scope.SUBTREE, control).code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    List<SearchExplainers.Question> asked = new ArrayList<>();
    directory
        .operations()
        .explainBy(
            question -> {
              asked.add(question);
              question
                  .answer()
                  .accept(
                      LdapResult.SUCCESS.with(
                          List.of(new ResponseControl(control.oid(), bytes("{}")))));
              return true;
            });
    RecordingSink sink = searched(TOP, Scope.SUBTREE, control);
    assertThat(sink.dns).isEmpty();
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    requireAnswered(sink, control.oid());
    assertThat(asked).hasSize(1);
    assertThat(asked.getFirst().base().toString()).isEqualTo(TOP);
    assertThat(asked.getFirst().seconds()).isEqualTo(10);
    assertThat(asked.getFirst().isWanted().getAsBoolean()).isTrue();
    directory.operations().explainBy(_ -> false);
    assertThat(searched(TOP, Scope.SUBTREE, control).code()).isEqualTo(ResultCode.BUSY);
  }

  private void driveAssertion() {
    for (Request request :
        List.of(
            with(search(TOP, Scope.BASE, ALL), never()),
            new Request.Compare(1, LEAF, "ou", bytes("leaf"), List.of(never())),
            add(
                List.of(never()),
                "ou=new," + TOP,
                "objectClass",
                "organizationalUnit",
                "ou",
                "new"),
            delete(LEAF, never()),
            modify(List.of(never()), LEAF, GREEN),
            rename(LEAF, "ou=other", true, never()))) {
      assertThat(code(request)).as("%s", request).isEqualTo(ResultCode.ASSERTION_FAILED);
    }
  }

  private void driveProxied() {
    RecordingSink sink =
        directory.run(new Request.Extended(1, WhoAmIOperation.OID, null, List.of(asAnn())));
    assertThat(sink.extendedValue).isEqualTo(bytes("dn:" + ANN));
    for (Request request :
        List.of(
            add(
                List.of(asAnn()),
                "ou=new," + TOP,
                "objectClass",
                "organizationalUnit",
                "ou",
                "new"),
            delete(LEAF, asAnn()),
            modify(List.of(asAnn()), LEAF, GREEN),
            rename(LEAF, "ou=other", true, asAnn()))) {
      assertThat(code(request)).as("%s", request).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
  }

  private void driveUpdate(ControlType type) {
    RequestControl control = control(type);
    switch (type) {
      case TREE_DELETE -> {
        assertThat(code(delete(PEOPLE))).isEqualTo(ResultCode.NOT_ALLOWED_ON_NON_LEAF);
        assertThat(code(delete(PEOPLE, control))).isEqualTo(ResultCode.SUCCESS);
        assertThat(directory.names()).doesNotContain(PEOPLE, ANN);
      }
      case PERMISSIVE_MODIFY -> {
        Request.Change again = change(0, "description", "green");
        assertThat(code(modify(LEAF, again))).isEqualTo(ResultCode.ATTRIBUTE_OR_VALUE_EXISTS);
        assertThat(code(modify(List.of(control), LEAF, again))).isEqualTo(ResultCode.SUCCESS);
      }
      case NO_OP -> {
        for (Request request :
            List.of(
                add(
                    List.of(control),
                    "ou=n," + TOP,
                    "objectClass",
                    "organizationalUnit",
                    "ou",
                    "n"),
                delete(LEAF, control),
                modify(List.of(control), LEAF, change(2, "description", "red")),
                rename(LEAF, "ou=other", true, control))) {
          assertThat(code(request)).as("%s", request).isEqualTo(ResultCode.NO_OPERATION);
        }
        assertThat(directory.names()).doesNotContain("ou=n," + TOP);
        assertThat(directory.stored(LEAF).get("description")).containsExactly("green");
      }
      default -> {
        Request.Change time = change(2, "createTimestamp", "20200101000000Z");
        assertThat(code(modify(LEAF, time))).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
        assertThat(code(modify(List.of(control), LEAF, time))).isEqualTo(ResultCode.SUCCESS);
      }
    }
  }

  private void driveTracking() {
    List<RequestControl> controls = List.of(control(ControlType.SESSION_TRACKING));
    SessionTracking told = new SessionTracking("192.0.2.1", "app.example.com", "1.2.3.4", "ann");
    for (Request request :
        List.of(
            with(search(TOP, Scope.BASE, ALL), controls.getFirst()),
            new Request.Compare(1, LEAF, "ou", bytes("leaf"), controls),
            new Request.Bind(1, 3, "", null, new byte[0], controls),
            new Request.Extended(1, WhoAmIOperation.OID, null, controls),
            add(controls, "ou=t," + TOP, "objectClass", "organizationalUnit", "ou", "t"),
            modify(controls, LEAF, GREEN),
            rename("ou=t," + TOP, "ou=tt", true, controls.getFirst()),
            delete("ou=tt," + TOP, controls.getFirst()))) {
      RecordingSink sink = new RecordingSink(100);
      Operation operation = directory.start(request, sink);
      UpdateFixture.await(sink);
      assertThat(operation.tracking()).as("%s", request).isEqualTo(told);
      assertThat(sink.code()).isIn(ResultCode.SUCCESS, ResultCode.COMPARE_TRUE);
    }
  }

  /**
   * On each kind of update, a control that it does not honour is rejected if critical, and ignored
   * otherwise.
   */
  @Test
  void shouldRefuseOrIgnoreOnUpdatesWhatTheyDoNotHonour() {
    List<Function<RequestControl, Request>> kinds =
        List.of(
            c -> add(List.of(c), "ou=x," + TOP, "objectClass", "organizationalUnit", "ou", "x"),
            c -> modify(List.of(c), "ou=x," + TOP, GREEN),
            c -> rename("ou=x," + TOP, "ou=y", true, c),
            c -> delete("ou=y," + TOP, c));
    for (ControlType type : ControlType.values()) {
      byte[] value = SampleControls.value(type);
      RequestControl critical = new RequestControl(type.oid(), true, value);
      RequestControl optional = new RequestControl(type.oid(), false, value);
      // Operations that honour the control run without it, so that the next one finds its entry.
      RequestControl harmless = new RequestControl("1.2.3", false, null);
      for (Function<RequestControl, Request> kind : kinds) {
        boolean isHonoured = SampleControls.SUPPORTED.of(kind.apply(critical)).contains(type);
        if (!isHonoured) {
          assertThat(code(kind.apply(critical)))
              .as("%s", kind.apply(critical))
              .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
        }
        assertThat(code(kind.apply(isHonoured ? harmless : optional)))
            .as("%s", kind.apply(optional))
            .isEqualTo(ResultCode.SUCCESS);
      }
    }
  }
}
