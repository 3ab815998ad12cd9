package org.nyala.core.operation.dereference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ControlledEntries.ANN;
import static org.nyala.core.operation.ControlledEntries.GROUP;
import static org.nyala.core.operation.ControlledEntries.TOP;
import static org.nyala.core.operation.ControlledEntries.entries;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.DecoderFuzz;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.SampleControls;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests searches that request attributes of the entries that values name. */
final class DereferencedValuesTest {
  private static final String BOB = "uid=bob,dc=example,dc=com";
  private static final String MANY = "cn=many," + TOP;

  private final OperationFixture directory = directory(entries());

  private static OperationFixture directory(List<Entry> entries) {
    OperationFixture made = new OperationFixture().store(entries, false);
    made.extensions.add(new Dereferencing());
    return made;
  }

  private static BerWriter spec(String attribute, String... wanted) {
    BerWriter names = new BerWriter();
    for (String name : wanted) {
      names.text(name);
    }
    return new BerWriter().text(attribute).sequence(names);
  }

  private static RequestControl deref(boolean isCritical, BerWriter... specs) {
    BerWriter all = new BerWriter();
    for (BerWriter spec : specs) {
      all.sequence(spec);
    }
    byte[] value = new BerWriter().sequence(all).toByteArray();
    return new RequestControl(ControlType.DEREFERENCE.oid(), isCritical, value);
  }

  private static RequestControl deref(String attribute, String... wanted) {
    return deref(true, spec(attribute, wanted));
  }

  /** Decodes the control of an entry: attribute, name and attributes, each as text. */
  private static List<String> told(List<ResponseControl> controls) throws InvalidBerException {
    List<String> told = new ArrayList<>();
    for (ResponseControl control : controls) {
      assertThat(control.oid()).isEqualTo(ControlType.DEREFERENCE.oid());
      BerReader whole = BerReader.trusted(control.value());
      BerReader in = whole.sequence();
      whole.requireEnd();
      while (in.hasNext()) {
        BerReader result = in.sequence();
        StringBuilder text = new StringBuilder(result.text() + " " + result.text());
        if (result.hasNext()) {
          BerReader attributes = result.content(0xa0);
          assertThat(attributes.hasNext()).isTrue();
          while (attributes.hasNext()) {
            BerReader attribute = attributes.sequence();
            text.append(' ').append(attribute.text()).append(values(attribute));
          }
        }
        result.requireEnd();
        told.add(text.toString());
      }
    }
    return told;
  }

  private static List<String> values(BerReader attribute) throws InvalidBerException {
    List<String> values = new ArrayList<>();
    BerReader set = attribute.content(BerReader.SET);
    while (set.hasNext()) {
      values.add(new String(set.octets(), StandardCharsets.UTF_8));
    }
    return values;
  }

  private List<String> told(String base, RequestControl control) throws InvalidBerException {
    RecordingSink sink = directory.run(with(search(base, Scope.BASE, ALL, "1.1"), control));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    return told(sink.entryControls.getFirst());
  }

  private ResultCode code(RequestControl... controls) {
    return directory.run(with(search(GROUP, Scope.BASE, ALL), controls)).code();
  }

  @Test
  void shouldTellWhatValuesName() throws Exception {
    assertThat(told(GROUP, deref("member", "cn", "UID")))
        .containsExactly("member " + ANN + " uid[ann] cn[Ann A, Nan]", "member " + BOB);
    assertThat(told(GROUP, deref("2.5.4.31", "mail", "noSuchAttribute")))
        .containsExactly(
            "member " + ANN + " mail[ann@example.com, ann@home.example]", "member " + BOB);
    assertThat(told(GROUP, deref("member", "noSuchAttribute", "*", "+", "1.1")))
        .containsExactly("member " + ANN, "member " + BOB);
    assertThat(told(GROUP, deref("member", "entryDN", "userPassword")))
        .containsExactly("member " + ANN + " entryDN[" + ANN + "]", "member " + BOB);
    assertThat(told(GROUP, deref(true, spec("owner", "cn"), spec("member", "sn"))))
        .containsExactly("member " + ANN + " sn[A]", "member " + BOB);
    assertThat(told(GROUP, deref("entryDN", "cn")))
        .containsExactly("entryDN " + GROUP + " cn[group]");
    assertThat(told(ANN, deref("member", "cn"))).isEmpty();
  }

  @Test
  void shouldNotTellOfReferralsSubentriesAndOtherStores() throws Exception {
    String policy = "cn=policy," + TOP;
    String away = "ou=away," + TOP;
    String other = "o=other";
    directory.backends.clear();
    List<Entry> all = new ArrayList<>(entries());
    String names = "cn=names," + TOP;
    all.add(
        entry(
            names,
            "objectClass",
            "groupOfNames",
            "cn",
            "names",
            "member",
            policy,
            "member",
            away,
            "member",
            other,
            "member",
            ""));
    directory.store(all, false);
    directory.store(List.of(entry(other, "objectClass", "organization", "o", "other")), false);
    assertThat(told(names, deref("member", "cn", "ou", "o")))
        .containsExactly(
            "member " + policy + " cn[policy]", "member " + away, "member " + other, "member ");
    RecordingSink sink =
        directory.run(
            with(
                search(names, Scope.BASE, ALL),
                deref("member", "cn", "ou"),
                OperationFixture.manageDsaIt()));
    assertThat(told(sink.entryControls.getFirst())).contains("member " + away + " ou[away]");
  }

  @Test
  void shouldRefuseWhatIsNotARequest() {
    assertThat(code(deref("noSuchAttribute", "cn"))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(code(deref("cn", "cn"))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(code(deref("member"))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(code(deref(true))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(code(deref(true, spec("member", "cn"), spec("2.5.4.31", "cn"))))
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
    RecordingSink sink =
        directory.run(
            with(
                search(GROUP, Scope.BASE, ALL),
                deref(false, spec("member", "cn"), spec("cn", "cn"))));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.entryControls).containsExactly(List.of());
  }

  @Test
  void shouldAnswerCutValues() {
    DecoderFuzz.check(
        SampleControls.value(ControlType.DEREFERENCE),
        value -> {
          RequestControl control = new RequestControl(ControlType.DEREFERENCE.oid(), true, value);
          RecordingSink sink = directory.run(with(search(GROUP, Scope.BASE, ALL), control));
          if (sink.code() == ResultCode.PROTOCOL_ERROR) {
            throw new LdapOperationException(sink.results.getFirst());
          }
        });
  }

  @Test
  void shouldNotDereferenceInSortedOrVirtualSearches() {
    RequestControl sort =
        new RequestControl(
            ControlType.SORT.oid(),
            true,
            new BerWriter()
                .sequence(new BerWriter().sequence(new BerWriter().text("cn")))
                .toByteArray());
    assertThat(code(deref("member", "cn"), sort))
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    RecordingSink sink =
        directory.run(
            with(search(GROUP, Scope.BASE, ALL), deref(false, spec("member", "cn")), sort));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.entryControls).containsExactly(List.of());
    Request.Search schema = search("cn=Subschema", Scope.BASE, ALL);
    assertThat(directory.run(with(schema, deref("member", "cn"))).code())
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    assertThat(directory.run(with(schema, deref(false, spec("member", "cn")))).code())
        .isEqualTo(ResultCode.SUCCESS);
  }

  /** Returns a group of some members, each with a description. */
  private static List<Entry> crowd(int members, int bytes) {
    List<Entry> all = new ArrayList<>();
    all.add(entry(TOP, "objectClass", "domain", "dc", "example"));
    Entry group = entry(MANY, "objectClass", "groupOfNames", "cn", "many");
    AttributeDescription member = AttributeDescription.parse(OperationFixture.SCHEMA, "member");
    for (int i = 0; i < members; i++) {
      String name = "cn=m" + i + "," + TOP;
      group.add(member, bytes(name));
      all.add(
          entry(
              name,
              "objectClass",
              "person",
              "cn",
              "m" + i,
              "sn",
              "s",
              "description",
              "d".repeat(bytes)));
    }
    all.add(group);
    return all;
  }

  private static final Request.Search OF_MANY =
      with(search(MANY, Scope.BASE, ALL, "1.1"), deref("member", "cn", "description"));

  private static ServerLimits limits(int lookThrough, int attributes, int values) {
    return TestLimits.with(
        ServerLimits.DEFAULT,
        new ServerLimits.SearchLimits(0, 3600, lookThrough, 16, attributes, values));
  }

  private static ResultCode code(ServerLimits limits, boolean isRoot) {
    OperationFixture crowded = directory(crowd(300, 1));
    crowded.limits = limits;
    crowded.identity = isRoot ? OperationFixture.ROOT : OperationFixture.USER;
    return crowded.run(OF_MANY).code();
  }

  @Test
  void shouldKeepToLimits() {
    assertThat(code(limits(0, 1, 300), false)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(limits(0, 1, 299), false)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(code(limits(0, 1, 299), true)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(limits(602, 1, 0), false)).isEqualTo(ResultCode.SUCCESS);
    assertThat(code(limits(601, 1, 0), false)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    directory.limits = limits(0, 1, 0);
    assertThat(code(deref(true, spec("member", "cn"), spec("owner", "cn"))))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    String[] names = new String[1025];
    Arrays.fill(names, "cn");
    assertThat(code(deref("member", names))).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  @Test
  void shouldDereferenceInSlices() throws Exception {
    OperationFixture crowded = directory(crowd(3000, 100));
    long whole = 80 << 20;
    crowded.memory = new MemoryBudget(new MemoryBounds(whole, whole, whole), System::nanoTime);
    crowded.nanosPerLook = 1;
    crowded.budget = new SliceBudget(1 << 20, 50);
    RecordingSink sink = crowded.run(OF_MANY);
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    List<String> told = told(sink.entryControls.getFirst());
    assertThat(told).hasSize(3000).doesNotHaveDuplicates();
    assertThat(told.get(2999)).startsWith("member cn=m2999," + TOP + " ");
    assertThat(crowded.slices).isGreaterThan(60);
    assertThat(crowded.memory.held()).isZero();
  }

  /** Values of an entry that has changed between slices are those of its new state. */
  @Test
  void shouldBeginAgainIfTheEntryChanges() throws Exception {
    OperationFixture crowded = directory(crowd(500, 1000));
    crowded.nanosPerLook = 1;
    crowded.budget = new SliceBudget(1 << 20, 50);
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = crowded.operation(OF_MANY, sink);
    for (int i = 0; i < 5; i++) {
      assertThat(operation.run(crowded.budget)).isEqualTo(Outcome.YIELDED);
    }
    try (WriteTransaction write = crowded.backends.getFirst().beginWrite()) {
      Dn name = UpdateFixture.dn(MANY);
      long _ = write.apply(new ResolvedChange.Delete(name, write.find(name)));
      write.commit();
    }
    while (operation.run(crowded.budget) != Outcome.DONE) {
      assertThat(sink.results).isEmpty();
    }
    sink.completion.run();
    assertThat(sink.dns).isEmpty();
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(crowded.memory.held()).isZero();
  }

  private static ResultCode codeAndNothingHeld(OperationFixture crowded) {
    RecordingSink sink = crowded.run(OF_MANY);
    sink.completion.run();
    assertThat(crowded.memory.held()).isZero();
    return sink.code();
  }

  @Test
  void shouldNotHoldMoreThanMemoryHasRoomFor() {
    OperationFixture crowded = directory(crowd(20, 1 << 20));
    assertThat(codeAndNothingHeld(crowded)).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    OperationFixture small = directory(crowd(10, 1 << 20));
    long whole = 20 << 20;
    small.memory = new MemoryBudget(new MemoryBounds(whole, whole, whole), System::nanoTime);
    assertThat(codeAndNothingHeld(small)).isIn(ResultCode.ADMIN_LIMIT_EXCEEDED, ResultCode.BUSY);
    small.memory =
        new MemoryBudget(new MemoryBounds(whole, 8 * whole, 8 * whole), System::nanoTime);
    assertThat(codeAndNothingHeld(small)).isEqualTo(ResultCode.BUSY);
    small.memory = MemoryBudget.ofHeap(System::nanoTime);
    assertThat(codeAndNothingHeld(small)).isEqualTo(ResultCode.SUCCESS);
  }
}
