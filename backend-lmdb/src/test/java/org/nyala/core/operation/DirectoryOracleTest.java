package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.DirectoryModel.TOP;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.ROOT;
import static org.nyala.core.session.OperationFixture.search;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.operation.update.StartTransaction;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaDescriptions;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.schema.load.SchemaSource;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionEnvironment;
import org.nyala.core.session.SessionListener;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.DefaultIndexes;

/**
 * Random updates and searches on a real store, beside a map of entries that holds the expected
 * state.
 */
class DirectoryOracleTest {
  private static final long SEED = Seeds.seed();
  private static final int ROUNDS = 12;
  private static final int UPDATES = 120;
  private static final int FILTERS = 60;

  private static final Schema SCHEMA = schema();
  private static final LmdbSettings SETTINGS =
      LmdbSettings.DEFAULT
          .withMapSizeBytes(256L << 20)
          .with(draft -> draft.durability = LmdbSettings.Durability.NONE)
          .with(draft -> draft.large = new LargeThresholds(8, 1024));

  /** The attributes that the server maintains by itself and the model does not follow. */
  private static final Set<String> SERVERS_OWN =
      Set.of(
          "entryUUID",
          "entryCSN",
          "creatorsName",
          "createTimestamp",
          "modifiersName",
          "modifyTimestamp");

  @TempDir Path folder;

  private final Random random = new Random(SEED);
  private final RandomUpdates updates = new RandomUpdates(random);
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private DirectoryModel model = new DirectoryModel();
  private LmdbBackend backend;
  private DirectoryOperations operations;
  private Session session;
  private long seconds;

  /** Units at the first level are governed by rule 1, those below them by rule 2. */
  private static Schema schema() {
    Schema standard = SchemaLoader.standard();
    StringBuilder text = new StringBuilder();
    SchemaDescriptions.attributeTypes(standard)
        .forEach(each -> text.append("attributetype ").append(each).append('\n'));
    SchemaDescriptions.objectClasses(standard)
        .forEach(each -> text.append("objectclass ").append(each).append('\n'));
    text.append(
        """
        nameform ( 1.2.3.3.1 NAME 'unitForm' OC organizationalUnit MUST ou )
        ditstructurerule ( 1 NAME 'topUnits' FORM unitForm )
        ditstructurerule ( 2 NAME 'units' FORM unitForm SUP ( 1 2 ) )
        """);
    return SchemaLoader.load(List.of(new SchemaSource("test.schema", text.toString())));
  }

  private void open() {
    backend = LmdbBackend.open(folder, SCHEMA, SETTINGS);
    operations =
        new DirectoryOperations(
            SCHEMA,
            List.of(backend),
            new AccessPolicy(false),
            ServerLimits.DEFAULT,
            RootAccounts.NONE,
            () -> 0,
            new UpdateSettings(
                false,
                1,
                () -> UpdateFixture.NOW.plusSeconds(seconds),
                () -> new UUID(random.nextLong(), random.nextLong()),
                Thread.ofPlatform().daemon().factory()));
    session =
        new Session(
            new SessionEnvironment(
                operations,
                () -> null,
                () -> ServerLimits.DEFAULT,
                new ServerMetrics(),
                () -> 0,
                SessionListener.NONE,
                MemoryBudget.ofHeap(() -> 0)),
            new SilentClient(false));
  }

  private void close() {
    operations.close();
    backend.close();
  }

  private RecordingSink run(Request request) {
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation =
        new Operation(session, request, operations.route(request), sink, ROOT, 0, 0);
    operation.arrived();
    Outcome outcome;
    do {
      outcome = operation.run(new SliceBudget(200, Long.MAX_VALUE / 4));
    } while (outcome == Outcome.YIELDED);
    if (outcome == Outcome.PARKED) {
      UpdateFixture.await(sink);
    }
    sink.completion.run();
    return sink;
  }

  @Test
  void shouldBeWhatAMapOfEntriesIs() {
    LmdbBackend.create(folder, SCHEMA, List.of(TOP), DefaultIndexes.of(SCHEMA), SETTINGS);
    open();
    Request.Add top = UpdateFixture.add(TOP, "objectClass", "domain", "dc", "example");
    assertThat(run(top).code()).isEqualTo(ResultCode.SUCCESS);
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < UPDATES; i++) {
        seconds += random.nextInt(3);
        update();
      }
      check();
      if (round % 3 == 2) {
        close();
        assertThat(Verification.verify(folder, SCHEMA, 5).problems()).as(seed()).isEmpty();
        open();
      }
    }
    close();
    // Every possible outcome of an update has occurred.
    assertThat(outcomes)
        .as(seed())
        .containsKeys("SUCCESS", "NO_OPERATION", "transaction SUCCESS", "NO_SUCH_ATTRIBUTE");
  }

  private static String seed() {
    return "replay with -Dtest.seed=" + SEED;
  }

  private void update() {
    int kind = random.nextInt(12);
    if (kind == 0) {
      transaction();
      return;
    }
    DirectoryModel after = model.copy();
    RandomUpdates.Made made = updates.next(model);
    ResultCode expected = made.effect().apply(after);
    boolean isNoOp = kind == 1;
    if (isNoOp && expected == ResultCode.SUCCESS) {
      expected = ResultCode.NO_OPERATION;
    }
    List<RequestControl> controls =
        isNoOp ? List.of(new RequestControl(ControlType.NO_OP.oid(), true, null)) : List.of();
    Request request = made.request().apply(controls);
    assertThat(run(request).code()).as("%s, %s", request, seed()).isEqualTo(expected);
    if (expected == ResultCode.SUCCESS) {
      model = after;
    }
    outcomes.merge(expected.name(), 1, Integer::sum);
  }

  private void transaction() {
    RecordingSink started = run(new Request.Extended(1, StartTransaction.OID, null, List.of()));
    byte[] identifier = started.extendedValue;
    RequestControl member = new RequestControl(ControlType.TRANSACTION.oid(), true, identifier);
    DirectoryModel after = model.copy();
    ResultCode expected = ResultCode.SUCCESS;
    for (int i = random.nextInt(4); i >= 0; i--) {
      RandomUpdates.Made made = updates.next(after);
      DirectoryModel next = after.copy();
      ResultCode code = made.effect().apply(next);
      if (code == ResultCode.UNWILLING_TO_PERFORM) {
        // Such an update is rejected at once.
        continue;
      }
      Request request = made.request().apply(List.of(member));
      assertThat(run(request).code()).as("%s, %s", request, seed()).isEqualTo(ResultCode.SUCCESS);
      if (expected == ResultCode.SUCCESS) {
        expected = code;
        after = next;
      }
    }
    boolean isCommitted = random.nextInt(4) > 0;
    byte[] end =
        new BerWriter()
            .sequence(new BerWriter().bool(isCommitted).octets(identifier))
            .toByteArray();
    ResultCode ended = run(new Request.Extended(1, EndTransaction.OID, end, List.of())).code();
    assertThat(ended).as(seed()).isEqualTo(isCommitted ? expected : ResultCode.SUCCESS);
    if (isCommitted && expected == ResultCode.SUCCESS) {
      model = after;
      outcomes.merge("transaction SUCCESS", 1, Integer::sum);
    }
  }

  private void check() {
    RecordingSink sink = run(search(TOP, Scope.SUBTREE, ALL, "*", "+"));
    Map<String, Map<String, List<String>>> shown = new TreeMap<>();
    for (int i = 0; i < sink.dns.size(); i++) {
      shown.put(sink.dns.get(i), sink.attributes.get(i));
    }
    assertThat(shown).as(seed()).hasSize(sink.dns.size());
    Set<String> names = new TreeSet<>(model.entries.keySet());
    names.add(TOP);
    assertThat(shown.keySet()).as(seed()).isEqualTo(names);
    shown.forEach((name, attributes) -> check(name, attributes));
    List<String> contextCsn = shown.get(TOP).get("contextCSN");
    assertThat(contextCsn).as(seed()).hasSize(1);
    assertThat(shown.values())
        .as("%s, %s", contextCsn, seed())
        .allMatch(each -> each.get("entryCSN").getFirst().compareTo(contextCsn.getFirst()) <= 0);
    ShownFilters filters = new ShownFilters(List.copyOf(shown.values()), random);
    for (int i = 0; i < FILTERS; i++) {
      FilterNode filter = filters.next(3);
      Set<String> expected = new TreeSet<>();
      shown.forEach(
          (name, attributes) -> {
            if (ShownFilters.holds(filter, attributes)) {
              expected.add(name);
            }
          });
      List<String> found = run(search(TOP, Scope.SUBTREE, filter, "1.1")).dns;
      assertThat(found).as("%s, %s", filter, seed()).doesNotHaveDuplicates();
      assertThat(new TreeSet<>(found)).as("%s, %s", filter, seed()).isEqualTo(expected);
    }
  }

  private void check(String name, Map<String, List<String>> attributes) {
    assertThat(attributes.keySet()).as("%s, %s", name, seed()).containsAll(SERVERS_OWN);
    Map<String, Set<String>> values = new HashMap<>();
    attributes.forEach((attribute, list) -> values.put(attribute, new TreeSet<>(list)));
    values.keySet().removeAll(SERVERS_OWN);
    Map<String, Set<String>> expected = new HashMap<>();
    if (name.equals(TOP)) {
      expected.put("objectClass", Set.of("domain"));
      expected.put("dc", Set.of("example"));
      expected.put("structuralObjectClass", Set.of("domain"));
      expected.put("contextCSN", Set.copyOf(attributes.getOrDefault("contextCSN", List.of())));
    } else {
      expected.putAll(model.entries.get(name));
      expected.put("structuralObjectClass", Set.of("organizationalUnit"));
      boolean isFirstLevel = DirectoryModel.parent(name).equals(TOP);
      expected.put("governingStructureRule", Set.of(isFirstLevel ? "1" : "2"));
    }
    long children = model.children(name);
    expected.put("entryDN", Set.of(name));
    expected.put("subschemaSubentry", Set.of("cn=Subschema"));
    expected.put("hasSubordinates", Set.of(children > 0 ? "TRUE" : "FALSE"));
    expected.put("numSubordinates", Set.of(Long.toString(children)));
    assertThat(values).as("%s, %s", name, seed()).isEqualTo(expected);
  }
}
