package org.nyala.core.operation.values;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ControlledEntries.ANN;
import static org.nyala.core.operation.ControlledEntries.GROUP;
import static org.nyala.core.operation.ControlledEntries.TOP;
import static org.nyala.core.operation.ControlledEntries.control;
import static org.nyala.core.operation.ControlledEntries.entries;
import static org.nyala.core.operation.ControlledEntries.equal;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests searches that request only some of the values (RFC 3876). */
final class MatchedValuesTest {
  private final OperationFixture directory = new OperationFixture().store(entries(), false);

  private static RequestControl matchedValues(FilterNode... items) {
    BerWriter all = new BerWriter();
    for (FilterNode item : items) {
      all.raw(FilterWriter.encode(item));
    }
    return control(ControlType.MATCHED_VALUES, new BerWriter().sequence(all).toByteArray());
  }

  private Map<String, List<String>> shown(Request.Search search, FilterNode... items) {
    RecordingSink sink = directory.run(with(search, matchedValues(items)));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.attributes).hasSize(1);
    return sink.attributes.getFirst();
  }

  private ResultCode searched(String base, RequestControl... controls) {
    return directory.run(with(search(base, Scope.BASE, ALL), controls)).code();
  }

  @Test
  void shouldShowMatchingValuesOnly() {
    Request.Search ann = search(ANN, Scope.BASE, ALL);
    assertThat(shown(ann, equal("mail", "ANN@example.com")))
        .isEqualTo(Map.of("mail", List.of("ann@example.com")));
    FilterNode home = new FilterNode.Substrings("mail", null, List.of(), bytes(".EXAMPLE"));
    assertThat(shown(ann, new FilterNode.Present("cn"), home))
        .isEqualTo(Map.of("cn", List.of("Ann A", "Nan"), "mail", List.of("ann@home.example")));
    assertThat(shown(search(ANN, Scope.BASE, ALL, "mail"), new FilterNode.Present("cn"), home))
        .isEqualTo(Map.of("mail", List.of("ann@home.example")));
    assertThat(shown(ann, equal("name", "a"), equal("telephoneNumber", "+12")))
        .isEqualTo(Map.of("sn", List.of("A"), "telephoneNumber", List.of("+1 2")));
    assertThat(shown(ann, equal("noSuchAttribute", "x"), equal("userPassword", "secret")))
        .isEmpty();
    assertThat(shown(ann, new FilterNode.Present("userPassword"))).isEmpty();
    assertThat(shown(ann)).isEmpty();
  }

  @Test
  void shouldTakeClassesAndComputedAttributesForValues() {
    Request.Search ann = search(ANN, Scope.BASE, ALL, "*", "+");
    assertThat(shown(ann, equal("objectClass", "person")))
        .isEqualTo(Map.of("objectClass", List.of("person")));
    assertThat(shown(ann, equal("objectClass", "top")))
        .isEqualTo(Map.of("objectClass", List.of("top")));
    assertThat(shown(ann, new FilterNode.Present("objectClass")))
        .isEqualTo(Map.of("objectClass", List.of("top", "person", "inetOrgPerson")));
    assertThat(shown(ann, equal("entryDN", "UID=ann, " + TOP), equal("hasSubordinates", "TRUE")))
        .isEqualTo(Map.of("entryDN", List.of(ANN)));
    Request.Search subschema = search("cn=Subschema", Scope.BASE, ALL, "objectClasses");
    assertThat(shown(subschema, equal("objectClasses", "2.5.6.6")).get("objectClasses"))
        .singleElement()
        .asString()
        .contains("'person'");
  }

  @Test
  void shouldMatchValuesByRules() {
    Request.Search ann = search(ANN, Scope.BASE, ALL);
    FilterNode exact = new FilterNode.Extensible("caseExactMatch", "cn", bytes("Nan"), false);
    assertThat(shown(ann, exact)).isEqualTo(Map.of("cn", List.of("Nan")));
    FilterNode anyText = new FilterNode.Extensible("caseIgnoreMatch", null, bytes("A"), false);
    assertThat(shown(ann, anyText)).isEqualTo(Map.of("sn", List.of("A")));
    FilterNode unapt = new FilterNode.Extensible("integerMatch", "cn", bytes("1"), false);
    assertThat(shown(ann, unapt)).isEmpty();
    FilterNode member = equal("member", "UID=bob, DC=example,dc=com");
    assertThat(shown(search(GROUP, Scope.BASE, ALL), member))
        .isEqualTo(Map.of("member", List.of("uid=bob,dc=example,dc=com")));
    FilterNode greater = new FilterNode.GreaterOrEqual("createTimestamp", bytes("2020"));
    assertThat(shown(ann, greater)).isEmpty();
  }

  @Test
  void shouldTakeItemsOnlyForMatchedValues() {
    FilterNode and = new FilterNode.And(List.of(equal("cn", "x")));
    assertThat(searched(ANN, matchedValues(and))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    FilterNode names = new FilterNode.Extensible(null, "cn", bytes("x"), true);
    assertThat(searched(ANN, matchedValues(names))).isEqualTo(ResultCode.PROTOCOL_ERROR);
  }

  private static Entry largeUnit(String ou) {
    Entry large = entry("ou=" + ou + "," + TOP, "objectClass", "organizationalUnit", "ou", ou);
    AttributeDescription description =
        AttributeDescription.parse(OperationFixture.SCHEMA, "description");
    for (int i = 0; i < 15; i++) {
      large.add(description, bytes("v" + i + "x".repeat(1 << 20)));
    }
    return large;
  }

  /** Returns the number of slices until an entry is sent. */
  private static int slices(OperationFixture other, Request.Search search, String name) {
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = other.operation(search, sink);
    int slices = 0;
    for (; !sink.dns.contains(name); slices++) {
      assertThat(operation.run(other.budget)).isEqualTo(Outcome.YIELDED);
    }
    operation.abandon();
    assertThat(operation.run(other.budget)).isEqualTo(Outcome.DONE);
    sink.completion.run();
    return slices;
  }

  @Test
  void shouldGiveBackWhatWasCopiedOfAnEntryThatHasGone() {
    List<Entry> entries = new ArrayList<>(entries());
    entries.add(largeUnit("gone"));
    for (int i = 0; i < 3000; i++) {
      entries.add(entry("ou=u" + i + "," + TOP, "objectClass", "organizationalUnit", "ou", "u"));
    }
    entries.add(largeUnit("last"));
    OperationFixture other = new OperationFixture().store(entries, false);
    long whole = 80 << 20;
    other.memory = new MemoryBudget(new MemoryBounds(whole, whole, whole), System::nanoTime);
    other.nanosPerLook = 1;
    other.budget = new SliceBudget(500, 2);
    FilterNode any = new FilterNode.Substrings("description", bytes("v"), List.of(), null);
    Request.Search all = with(search(TOP, Scope.SUBTREE, ALL), matchedValues(any));
    int slices = slices(other, all, "ou=gone," + TOP);
    List<Operation> begun = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Operation operation = other.operation(all, new RecordingSink(Integer.MAX_VALUE));
      for (int slice = 1; slice < slices; slice++) {
        assertThat(operation.run(other.budget)).isEqualTo(Outcome.YIELDED);
      }
      begun.add(operation);
    }
    Request.Search last = with(search("ou=last," + TOP, Scope.BASE, ALL), matchedValues(any));
    assertThat(other.run(last).code()).isEqualTo(ResultCode.BUSY);
    try (WriteTransaction write = other.backends.getFirst().beginWrite()) {
      Dn gone = UpdateFixture.dn("ou=gone," + TOP);
      long _ = write.apply(new ResolvedChange.Delete(gone, write.find(gone)));
      write.commit();
    }
    for (Operation operation : begun) {
      assertThat(operation.run(other.budget)).isEqualTo(Outcome.YIELDED);
    }
    assertThat(other.run(last).code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldNotCopyMoreMatchingValuesThanMemoryHasRoomFor() {
    Entry large = entry("ou=large,dc=example,dc=com", "objectClass", "organizationalUnit");
    AttributeDescription description =
        AttributeDescription.parse(OperationFixture.SCHEMA, "description");
    for (int i = 0; i < 20; i++) {
      large.add(description, bytes(i + "x".repeat(1 << 20)));
    }
    List<Entry> entries = new ArrayList<>(entries());
    entries.add(large);
    OperationFixture other = new OperationFixture().store(entries, false);
    FilterNode any = new FilterNode.Present("description");
    Request.Search search = search("ou=large,dc=example,dc=com", Scope.BASE, ALL);
    for (int i = 0; i < 4; i++) {
      assertThat(other.run(with(search, matchedValues(any))).code())
          .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
      FilterNode one = new FilterNode.Substrings("description", bytes("7x"), List.of(), null);
      RecordingSink sink = other.run(with(search, matchedValues(one)));
      assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
      assertThat(sink.attributes.getFirst().get("description")).hasSize(1);
    }
  }
}
