package org.nyala.dynamic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.NOW;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.move;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.GatedBackend;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

/** Tests dynamic entries as seen by clients: their attributes, their places and their number. */
class DynamicEntriesTest extends DynamicEntriesTestCase {
  private static final RequestControl RELAX =
      new RequestControl(ControlType.RELAX_RULES.oid(), true, null);

  @Test
  void shouldShowHowLongEntriesLive() {
    directory.now = NOW.plusMillis(300);
    add(CALL);
    assertThat(directory.stored(CALL))
        .containsEntry("entryExpireTimestamp", List.of("20260131121001Z"));
    assertThat(directory.stored(CALL)).doesNotContainKey(TTL);
    assertThat(remaining(CALL)).isEqualTo("600");
    assertThat(remaining(LEAF)).isNull();
    directory.now = NOW.plusMillis(1200);
    assertThat(remaining(CALL)).isEqualTo("599");
    pass(599);
    assertThat(remaining(CALL)).isEqualTo("0");
    pass(599);
    assertThat(remaining(CALL)).isEqualTo("0");
    assertThat(search(CALL, Scope.BASE, OperationFixture.ALL, TTL, "cn").attributes)
        .containsExactly(Map.of("cn", List.of("call"), TTL, List.of("0")));
    assertThat(search(CALL, Scope.BASE, OperationFixture.ALL).attributes.getFirst())
        .doesNotContainKey(TTL);
  }

  @Test
  void shouldKeepStaticAndDynamicApart() {
    add(CALL);
    add(PART);
    assertThat(
            directory.code(
                UpdateFixture.add("cn=static," + CALL, "objectClass", "device", "cn", "static")))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(directory.code(move(LEAF, "ou=leaf", CALL)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(directory.code(modify(LEAF, change(0, "objectClass", "dynamicObject"))))
        .isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    Request.Change off = change(1, "objectClass", "dynamicObject");
    assertThat(directory.code(modify(PART, off))).isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(directory.code(modify(List.of(RELAX), PART, off)))
        .isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(directory.code(move(PART, "cn=part", LEAF))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(move("cn=part," + LEAF, "cn=part", CALL)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(UpdateFixture.rename(LEAF, "ou=tree", true)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(PART, change(2, "description", "yes"))))
        .isEqualTo(ResultCode.SUCCESS);
    pass(600);
    sweep();
    assertThat(directory.names()).doesNotContain(CALL, PART);
  }

  @Test
  void shouldLetNobodyWriteTheTimes() {
    add(CALL);
    for (String attribute : List.of(TTL, "entryExpireTimestamp")) {
      String value = attribute.equals(TTL) ? "5" : "20270131120000Z";
      for (List<RequestControl> controls : List.of(List.<RequestControl>of(), List.of(RELAX))) {
        assertThat(directory.code(modify(controls, CALL, change(2, attribute, value))))
            .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
        assertThat(
                directory.code(
                    UpdateFixture.add(
                        controls,
                        "cn=other," + TOP,
                        "objectClass",
                        "device",
                        "objectClass",
                        "dynamicObject",
                        "cn",
                        "other",
                        attribute,
                        value)))
            .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      }
    }
  }

  @Test
  void shouldLimitHowManyThereAre() {
    lifetimes(Optional.of(new DynamicSettings(86_400, 0, 600, 5, 2)));
    add(CALL);
    add(PART);
    String third = "cn=third," + TOP;
    assertThat(directory.code(dynamic(third))).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.code(UpdateFixture.add("cn=s," + TOP, "objectClass", "device", "cn", "s")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(delete(PART))).isEqualTo(ResultCode.SUCCESS);
    add(third);
    assertThat(directory.code(dynamic(PART))).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    directory.restart();
    assertThat(directory.code(dynamic(PART))).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    pass(600);
    sweep();
    add(CALL);
    add(PART);
  }

  @Test
  void shouldLimitHowManyOneCommitAdds() {
    lifetimes(Optional.of(new DynamicSettings(86_400, 0, 600, 5, 5)));
    GatedBackend gate = new GatedBackend(directory.store);
    directory.backend = gate;
    RecordingSink first = new RecordingSink(100);
    directory.start(modify(TOP, change(2, "description", "first")), first);
    Patience.await(gate.committing);
    List<RecordingSink> sinks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RecordingSink sink = new RecordingSink(100);
      directory.start(dynamic("cn=many" + i + "," + TOP), sink);
      sinks.add(sink);
    }
    // All changes up to now go into one commit.
    gate.commits.release(100);
    sinks.forEach(UpdateFixture::await);
    assertThat(sinks.stream().filter(sink -> sink.code() == ResultCode.SUCCESS)).hasSize(5);
  }

  @Test
  void shouldHaveNoneWhereTheyAreNotEnabled() {
    lifetimes(Optional.empty());
    assertThat(directory.code(dynamic(CALL))).isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    RecordingSink refused = refresh(value(CALL, 60));
    assertThat(refused.code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refused.extendedValue).isNull();
    assertThat(rootDse().get("supportedExtension")).doesNotContain(RefreshOperation.OID);
    assertThat(rootDse()).doesNotContainKey("dynamicSubtrees");
    directory.restart();
    enable();
    assertThat(rootDse().get("supportedExtension")).contains(RefreshOperation.OID);
    assertThat(rootDse()).containsEntry("dynamicSubtrees", List.of(TOP, UpdateFixture.OTHER));
    add(CALL);
    directory.restart();
    directory.readOnly = true;
    pass(600);
    entries.expire();
    assertThat(remaining(CALL)).isEqualTo("0");
  }

  private Map<String, List<String>> rootDse() {
    return search("", Scope.BASE, OperationFixture.ALL, "+").attributes.getFirst();
  }

  @Test
  void shouldFindDynamicEntries() {
    add(CALL);
    add(PART);
    assertThat(find(new FilterNode.Present(TTL))).containsExactly(CALL, PART);
    byte[] hour = "20260131121000Z".getBytes(StandardCharsets.US_ASCII);
    assertThat(find(new FilterNode.LessOrEqual("entryExpireTimestamp", hour)))
        .containsExactly(CALL, PART);
    byte[] many = "100000".getBytes(StandardCharsets.US_ASCII);
    FilterNode undefined = new FilterNode.LessOrEqual(TTL, many);
    assertThat(find(undefined)).isEmpty();
    assertThat(find(new FilterNode.Not(undefined))).isEmpty();
    assertThat(find(new FilterNode.Equality(TTL, many))).isEmpty();
  }

  private List<String> find(FilterNode filter) {
    return search(TOP, Scope.SUBTREE, filter, "1.1").dns;
  }
}
