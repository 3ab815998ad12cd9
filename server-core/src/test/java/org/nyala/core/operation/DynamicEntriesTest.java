package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.nyala.core.operation.OperationFixture.SCHEMA;
import static org.nyala.core.operation.OperationFixture.entry;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.NOW;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.move;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.entry.Entry;
import org.nyala.core.search.FilterNode;
import org.nyala.core.search.Scope;
import org.nyala.core.update.ReferentialIntegrityRule;

class DynamicEntriesTest {
  private static final long SEED = Long.getLong("test.seed", System.nanoTime());
  private static final String CALL = "cn=call," + TOP;
  private static final String PART = "cn=part," + CALL;
  private static final String TTL = "entryTtl";
  private static final RequestControl RELAX =
      new RequestControl(ControlType.RELAX_RULES.oid(), true, null);

  private UpdateFixture directory = new UpdateFixture();

  @BeforeEach
  void enable() {
    directory.dynamic = new DynamicSettings(90_000, 10, 600, 5, 1000);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private static Request.Add dynamic(String name) {
    String value = UpdateFixture.dn(name).toString();
    String cn = value.substring(3, value.indexOf(','));
    return UpdateFixture.add(
        name, "objectClass", "device", "objectClass", "dynamicObject", "cn", cn);
  }

  private void add(String name) {
    assertThat(directory.code(dynamic(name))).as(name).isEqualTo(ResultCode.SUCCESS);
  }

  private void pass(long seconds) {
    directory.now = directory.now.plusSeconds(seconds);
  }

  /** Lets expired entries be deleted, and waits for that. */
  private void sweep() {
    directory.operations().expireEntries();
    // The writer takes one after the other.
    assertThat(directory.code(modify(TOP, change(2, "description", "swept"))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  private static byte[] value(String name, int ttlSeconds) {
    BerWriter content =
        new BerWriter()
            .octets(0x80, name.getBytes(StandardCharsets.UTF_8))
            .integer(0x81, ttlSeconds);
    return new BerWriter().sequence(content).toByteArray();
  }

  private RecordingSink refresh(byte @Nullable [] value) {
    return directory.run(new Request.Extended(1, RefreshOperation.OID, value, List.of()));
  }

  private ResultCode refresh(String name, int ttlSeconds) {
    return refresh(value(name, ttlSeconds)).code();
  }

  private static int granted(RecordingSink sink) throws Exception {
    BerReader reader = new BerReader(sink.extendedValue);
    BerReader sequence = reader.sequence();
    int ttl = sequence.integer(0x81);
    sequence.requireEnd();
    reader.requireEnd();
    return ttl;
  }

  private RecordingSink search(String base, Scope scope, FilterNode filter, String... attributes) {
    return directory.run(OperationFixture.search(base, scope, filter, attributes));
  }

  private @Nullable String remaining(String name) {
    Map<String, List<String>> shown =
        search(name, Scope.BASE, OperationFixture.ALL, "+").attributes.getFirst();
    assertThat(shown.containsKey(TTL)).isEqualTo(shown.containsKey("entryExpireTimestamp"));
    List<String> values = shown.get(TTL);
    return values == null ? null : values.getFirst();
  }

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
  void shouldDeleteWhatHasExpired() {
    List<ResolvedChange> told = new ArrayList<>();
    directory.listeners.add(changes -> changes.forEach(change -> told.add(change.change())));
    directory.now = NOW.plusMillis(300);
    add(CALL);
    pass(600);
    sweep();
    assertThat(directory.stored(CALL)).isNotNull();
    told.clear();
    directory.now = directory.now.plusMillis(700);
    sweep();
    assertThat(directory.stored(CALL)).isNull();
    assertThat(told.getFirst())
        .isEqualTo(
            new ResolvedChange.Delete(
                UpdateFixture.dn(CALL), ((ResolvedChange.Delete) told.getFirst()).entryId()));
    assertThat(told).hasSize(2);
    add(CALL);
    assertThat(remaining(CALL)).isEqualTo("600");
  }

  @Test
  void shouldRefresh() throws Exception {
    add(CALL);
    assertThat(granted(refresh(value(CALL, 90_000)))).isEqualTo(90_000);
    assertThat(remaining(CALL)).isEqualTo("90000");
    pass(80_000);
    sweep();
    assertThat(remaining(CALL)).isEqualTo("10000");
    // What is too little is raised to the least.
    RecordingSink raised = refresh(value(CALL, 1));
    assertThat(raised.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(granted(raised)).isEqualTo(10);
    pass(10);
    // Not gone yet.
    assertThat(granted(refresh(value(CALL, 20)))).isEqualTo(20);
    sweep();
    assertThat(remaining(CALL)).isEqualTo("20");
    pass(20);
    sweep();
    assertThat(directory.stored(CALL)).isNull();
    assertThat(refresh(CALL, 20)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldSayWhatCannotBeRefreshed() throws Exception {
    add(CALL);
    RecordingSink tooMuch = refresh(value(CALL, 90_001));
    assertThat(tooMuch.code()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    assertThat(granted(tooMuch)).isZero();
    RecordingSink missing = refresh(value("cn=none," + TOP, 60));
    assertThat(missing.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(granted(missing)).isZero();
    assertThat(refresh(CALL, 0)).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refresh(CALL, -5)).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refresh(CALL, 31_557_601)).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refresh(CALL, 31_557_600)).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    assertThat(refresh((byte[]) null).code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refresh(LEAF, 60)).isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(refresh("no name", 60)).isEqualTo(ResultCode.INVALID_DN_SYNTAX);
    assertThat(refresh("", 60)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(refresh("cn=x," + UpdateFixture.AWAY, 60)).isEqualTo(ResultCode.REFERRAL);
    assertThat(remaining(CALL)).isEqualTo("600");
  }

  @Test
  void shouldSayWhoMayRefresh() {
    add(CALL);
    directory.identity = BoundIdentity.ANONYMOUS;
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
    directory.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(remaining(CALL)).isEqualTo("600");
    directory.identity = new BoundIdentity(UpdateFixture.dn(CALL), false);
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.SUCCESS);
    assertThat(remaining(CALL)).isEqualTo("60");
    assertThat(directory.stored(CALL)).containsEntry("modifiersName", List.of(CALL));
  }

  @Test
  void shouldReadAnyBytesAsARequestOrRefuseThem() {
    byte[] sound = value(CALL, 60);
    assertThatCode(() -> RefreshRequest.read(sound)).doesNotThrowAnyException();
    Random random = new Random(SEED);
    for (int i = 0; i < 5000; i++) {
      byte[] bytes =
          i < sound.length
              ? Arrays.copyOf(sound, i)
              : Arrays.copyOf(sound, sound.length + random.nextInt(3));
      if (i >= sound.length) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      String context = "seed " + SEED + " i " + i;
      try {
        int ttl = RefreshRequest.read(bytes).ttlSeconds();
        assertThat(ttl).as(context).isBetween(1, 31_557_600);
        assertThat(i).as(context).isGreaterThanOrEqualTo(sound.length);
      } catch (LdapOperationException e) {
        assertThat(e.result().code()).as(context).isEqualTo(ResultCode.PROTOCOL_ERROR);
      }
    }
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
  void shouldLetEntriesOutliveThoseBelowThem() {
    add(CALL);
    add(PART);
    add("cn=second," + CALL);
    assertThat(refresh(PART, 1000)).isEqualTo(ResultCode.SUCCESS);
    pass(600);
    sweep();
    assertThat(directory.stored(CALL)).isNotNull();
    assertThat(directory.stored("cn=second," + CALL)).isNull();
    assertThat(remaining(CALL)).isEqualTo("0");
    pass(399);
    sweep();
    assertThat(directory.stored(CALL)).isNotNull();
    pass(1);
    sweep();
    assertThat(directory.names()).doesNotContain(CALL, PART);
  }

  @Test
  void shouldNoticeThatAClientDeletedWhatWasBelow() {
    add(CALL);
    add(PART);
    assertThat(refresh(PART, 80_000)).isEqualTo(ResultCode.SUCCESS);
    pass(600);
    sweep();
    assertThat(directory.code(delete(PART))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored(CALL)).isNotNull();
    pass(3600);
    sweep();
    assertThat(directory.stored(CALL)).isNull();
  }

  @Test
  void shouldLimitHowManyThereAre() {
    directory.dynamic = new DynamicSettings(86_400, 0, 600, 5, 2);
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
  void shouldLimitHowManyOneCommitAdds() throws Exception {
    directory.dynamic = new DynamicSettings(86_400, 0, 600, 5, 5);
    GatedBackend gate = new GatedBackend(directory.store);
    directory.backend = gate;
    RecordingSink first = new RecordingSink(100);
    directory.start(modify(TOP, change(2, "description", "first")), first);
    gate.committing.await();
    List<RecordingSink> sinks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RecordingSink sink = new RecordingSink(100);
      directory.start(dynamic("cn=many" + i + "," + TOP), sink);
      sinks.add(sink);
    }
    // What came meanwhile goes into one commit.
    gate.commits.release(100);
    sinks.forEach(UpdateFixture::await);
    assertThat(sinks.stream().filter(sink -> sink.code() == ResultCode.SUCCESS)).hasSize(5);
  }

  @Test
  void shouldGoOnAfterARestart() {
    add(CALL);
    add("cn=late," + TOP);
    assertThat(refresh("cn=late," + TOP, 5000)).isEqualTo(ResultCode.SUCCESS);
    directory.restart();
    pass(600);
    assertThat(directory.stored(CALL)).isNotNull();
    sweep();
    assertThat(directory.stored(CALL)).isNull();
    assertThat(remaining("cn=late," + TOP)).isEqualTo("4400");
    directory.restart();
    pass(4400);
    sweep();
    assertThat(directory.stored("cn=late," + TOP)).isNull();
  }

  @Test
  void shouldAdoptImportedEntries() {
    List<Entry> entries = new ArrayList<>(UpdateFixture.defaults());
    entries.add(imported("untimed"));
    entries.add(imported("timed", "entryExpireTimestamp", "20260131131000.5+0100"));
    entries.add(imported("listed", "entryTtl", "12345"));
    directory.close();
    directory = new UpdateFixture(entries);
    enable();
    assertThat(remaining("cn=timed," + TOP)).isEqualTo("601");
    assertThat(remaining("cn=untimed," + TOP)).isNull();
    assertThat(remaining("cn=listed," + TOP)).isNull();
    sweep();
    assertThat(remaining("cn=untimed," + TOP)).isEqualTo("600");
    assertThat(remaining("cn=listed," + TOP)).isEqualTo("600");
    pass(600);
    sweep();
    assertThat(directory.names()).doesNotContain("cn=untimed," + TOP, "cn=listed," + TOP);
    assertThat(directory.names()).contains("cn=timed," + TOP);
    pass(1);
    sweep();
    assertThat(directory.names()).doesNotContain("cn=timed," + TOP);
  }

  private static Entry imported(String cn, String... more) {
    List<String> pairs =
        new ArrayList<>(List.of("objectClass", "device", "objectClass", "dynamicObject", "cn", cn));
    pairs.addAll(List.of(more));
    return entry("cn=" + cn + "," + TOP, pairs.toArray(String[]::new));
  }

  @Test
  void shouldHaveNoneWhereTheyAreNotEnabled() {
    directory.dynamic = null;
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
    directory.operations().expireEntries();
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

  @Test
  void shouldFollowReferencesAndWaitWhereThatIsRefused() {
    directory.rules.add(
        new ReferentialIntegrityRule(SCHEMA, List.of(SCHEMA.attributeType("member")), null, 1000));
    add(CALL);
    add(PART);
    String group = "cn=group," + TOP;
    assertThat(
            directory.code(
                UpdateFixture.add(
                    group,
                    "objectClass",
                    "groupOfNames",
                    "cn",
                    "group",
                    "member",
                    CALL,
                    "member",
                    PART)))
        .isEqualTo(ResultCode.SUCCESS);
    pass(600);
    sweep();
    // A group must have a member: the last one stays for its sake.
    assertThat(directory.stored(PART)).isNull();
    assertThat(directory.stored(CALL)).isNotNull();
    assertThat(directory.stored(group)).containsEntry("member", List.of(CALL));
    assertThat(directory.code(modify(group, change(0, "member", PEOPLE))))
        .isEqualTo(ResultCode.SUCCESS);
    sweep();
    assertThat(directory.stored(CALL)).isNotNull();
    pass(60);
    sweep();
    assertThat(directory.stored(CALL)).isNull();
    assertThat(directory.stored(group)).containsEntry("member", List.of(PEOPLE));
  }

  @Test
  void shouldDeleteManyInTurns() {
    for (int i = 0; i < 600; i++) {
      add("cn=n" + i + "," + TOP);
    }
    pass(600);
    directory.operations().expireEntries();
    LiveDirectory.eventually(
        "all are gone", () -> directory.names().size() == UpdateFixture.defaults().size());
  }

  @Test
  void shouldKeepExactlyWhatAModelKeeps() {
    Random random = new Random(SEED);
    TreeMap<String, Long> model = new TreeMap<>();
    long second = 0;
    for (int step = 0; step < 600; step++) {
      String context = "seed " + SEED + " step " + step;
      String name = "cn=r" + random.nextInt(20) + "," + TOP;
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          boolean isNew = !model.containsKey(name);
          assertThat(directory.code(dynamic(name)) == ResultCode.SUCCESS)
              .as(context)
              .isEqualTo(isNew);
          model.putIfAbsent(name, second + 600);
        }
        case 2 -> {
          int ttl = 10 + random.nextInt(2000);
          boolean isThere = model.containsKey(name);
          assertThat(refresh(name, ttl) == ResultCode.SUCCESS).as(context).isEqualTo(isThere);
          long end = second + ttl;
          model.computeIfPresent(name, (_, _) -> end);
        }
        case 3 -> {
          boolean isThere = model.remove(name) != null;
          assertThat(directory.code(delete(name)) == ResultCode.SUCCESS)
              .as(context)
              .isEqualTo(isThere);
        }
        default -> {
          int seconds = random.nextInt(300);
          pass(seconds);
          second += seconds;
          if (random.nextInt(5) == 0) {
            directory.restart();
          }
          sweep();
          long now = second;
          model.values().removeIf(end -> end <= now);
        }
      }
      TreeSet<String> there = new TreeSet<>(directory.names());
      there.removeIf(each -> !each.startsWith("cn=r"));
      assertThat(there).as(context).isEqualTo(model.keySet());
    }
  }
}
