package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.ServerLimits.SortLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.OperationFixture;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;

/** Sorted lists of a store whose indexes have the order, while it changes. */
class LmdbListsTest {
  private static final long SEED = Seeds.seed();
  private static final String TOP = "dc=example,dc=com";
  private static final int PEOPLE = 2500;
  private static final FilterNode FILTER = new FilterNode.Present("uid");

  @TempDir Path folder;

  private final Random random = new Random(SEED);
  private final OperationFixture directory = new OperationFixture();

  /** The sort key of each person, in normal form: ASCII without capitals; empty for none. */
  private final Map<String, String> names = new TreeMap<>();

  private final Map<String, Integer> born = new TreeMap<>();
  private LmdbBackend backend;

  @BeforeEach
  void open() {
    LmdbSettings settings = LmdbSettings.DEFAULT.withMapSizeBytes(256L << 20);
    List<IndexDefinition> indexes =
        List.of(
            IndexDefinition.parse(SCHEMA, "title", "eq"),
            IndexDefinition.parse(SCHEMA, "uid", "eq"));
    LmdbBackend.create(folder, SCHEMA, List.of(TOP), indexes, settings);
    backend = LmdbBackend.open(folder, SCHEMA, settings);
    directory.others.add(backend);
    directory.budget = new SliceBudget(700, Long.MAX_VALUE / 4);
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(entry(TOP, "objectClass", "domain", "dc", "example")));
      for (int i = 0; i < PEOPLE; i++) {
        add(write, i);
      }
      write.commit();
    }
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private String title() {
    String word = "word " + random.nextInt(40) * random.nextInt(40);
    return switch (random.nextInt(6)) {
      case 0 -> "";
      case 1 -> "long " + "x".repeat(248) + random.nextInt(30);
      case 2 -> "longer " + "y".repeat(400) + random.nextInt(10);
      default -> word;
    };
  }

  private void add(WriteTransaction write, int number) {
    String dn = "uid=u" + number + "," + TOP;
    String title = title();
    List<String> pairs = new ArrayList<>();
    pairs.addAll(List.of("objectClass", "inetOrgPerson", "uid", "u" + number));
    if (!title.isEmpty()) {
      pairs.addAll(List.of("title", title));
      // A greater value does not count.
      pairs.addAll(List.of(random.nextBoolean() ? "title" : "title;lang-en", title + "z"));
    }
    write.apply(new ResolvedChange.Add(entry(dn, pairs.toArray(String[]::new))));
    names.put(dn, compared(title));
    born.put(dn, born.size());
  }

  /** Values are compared up to a bound. */
  private static String compared(String title) {
    return title.substring(0, Math.min(256, title.length()));
  }

  private List<String> expected(boolean reverse) {
    Comparator<String> byName = Comparator.naturalOrder();
    Comparator<String> missingLast = Comparator.comparing(String::isEmpty).thenComparing(byName);
    return names.keySet().stream()
        .sorted(
            Comparator.comparing(
                    (String dn) -> names.get(dn), reverse ? missingLast.reversed() : missingLast)
                .thenComparingInt(born::get))
        .toList();
  }

  private static RequestControl sort(boolean reverse) {
    return ListRequests.sort(true, new ListRequests.SortKey("title", null, reverse));
  }

  private RecordingSink run(RequestControl... controls) {
    Request.Search plain = search(TOP, Scope.SUBTREE, FILTER);
    RecordingSink sink = directory.run(ListRequests.with(plain, 0, controls));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    return sink;
  }

  @Test
  void shouldSortByTheIndexAsByHand() {
    for (boolean reverse : new boolean[] {false, true}) {
      assertThat(run(sort(reverse)).dns).as("-Dtest.seed=%d", SEED).isEqualTo(expected(reverse));
      // A second key after it is read from the entries.
      RequestControl two =
          ListRequests.sort(
              true,
              new ListRequests.SortKey("title", null, reverse),
              new ListRequests.SortKey("description", null, false));
      assertThat(run(two).dns).as("-Dtest.seed=%d", SEED).isEqualTo(expected(reverse));
    }
  }

  @Test
  void shouldShowAtOnceWhatWasWritten() {
    run(sort(false));
    change(PEOPLE);
    assertThat(run(sort(false)).dns).isEqualTo(expected(false));
  }

  /** Changes some of the first half of the people, and adds one; the other half is unchanged. */
  private void change(int number) {
    try (WriteTransaction write = backend.beginWrite()) {
      add(write, number);
      for (int i = 0; i < 20; i++) {
        String name = "uid=u" + random.nextInt(PEOPLE / 2) + "," + TOP;
        Dn dn = RandomDirectory.dn(SCHEMA, name);
        long id = write.find(dn);
        if (id != 0 && random.nextBoolean()) {
          write.apply(new ResolvedChange.Delete(dn, id));
          names.remove(name);
        } else if (id != 0) {
          String title = title();
          AttributeDescription description = AttributeDescription.parse(SCHEMA, "title");
          AttributeDescription other = AttributeDescription.parse(SCHEMA, "title;lang-en");
          List<byte[]> values =
              title.isEmpty() ? List.of() : List.of(title.getBytes(StandardCharsets.UTF_8));
          write.apply(
              new ResolvedChange.Modify(
                  dn,
                  id,
                  List.of(
                      new AttributeChange.Replaced(other, List.of()),
                      new AttributeChange.Replaced(description, values))));
          names.put(name, compared(title));
        }
      }
      write.commit();
    }
  }

  private boolean stays(String dn) {
    int number = Integer.parseInt(dn.substring(5, dn.indexOf(',')));
    return number >= PEOPLE / 2 && number < PEOPLE;
  }

  private List<String> pagesWhileChanging(RequestControl... others) {
    List<String> found = new ArrayList<>();
    byte[] cookie = {};
    int number = PEOPLE;
    do {
      List<RequestControl> controls = new ArrayList<>(List.of(others));
      controls.add(ListRequests.page(100, cookie));
      RecordingSink sink = run(controls.toArray(RequestControl[]::new));
      found.addAll(sink.dns);
      cookie = ListRequests.cookie(sink);
      change(number++);
      if (random.nextInt(3) == 0) {
        driveOut();
      }
    } while (cookie.length > 0);
    return found;
  }

  /** Replaces the cached lists by other ones. */
  private void driveOut() {
    for (int i = 0; i < 40; i++) {
      FilterNode other = new FilterNode.Equality("sn", new byte[] {(byte) ('a' + i % 26)});
      FilterNode filter = i % 2 == 0 ? ALL : new FilterNode.Or(List.of(FILTER, other));
      Request.Search search = search(TOP, Scope.SUBORDINATE, filter);
      RecordingSink sink =
          directory.run(ListRequests.with(search, 0, sort(i % 3 == 0), pageOf(1 + i)));
      assertThat(sink.dns).hasSize(1 + i);
    }
  }

  private static RequestControl pageOf(int size) {
    return ListRequests.page(size, new byte[0]);
  }

  @Test
  void shouldShowWhatStaysOnceAndInOrderWhilePagesAreRead() {
    directory.limits = TestLimits.with(ServerLimits.DEFAULT, new SortLimits(0, 1));
    List<String> staying = expected(false).stream().filter(this::stays).toList();
    assertThat(pagesWhileChanging(sort(false)).stream().filter(this::stays).toList())
        .as("-Dtest.seed=%d", SEED)
        .isEqualTo(staying);
  }

  @Test
  void shouldShowWhatStaysOnceWhileUnsortedPagesAreRead() {
    List<String> staying =
        names.keySet().stream()
            .filter(this::stays)
            .sorted(Comparator.comparingInt(born::get))
            .toList();
    assertThat(pagesWhileChanging().stream().filter(this::stays).toList())
        .as("-Dtest.seed=%d", SEED)
        .isEqualTo(staying);
  }

  @Test
  void shouldServeListViewsFromAListThatIsSecondsOld() throws Exception {
    List<String> before = expected(false);
    RecordingSink first = run(sort(false), ListRequests.byOffset(0, 9, 1, 0, null));
    assertThat(first.dns).isEqualTo(before.subList(0, 10));
    byte[] context = ListRequests.context(first);
    change(PEOPLE);
    directory.nowNanos += 9_000_000_000L;
    RecordingSink later = run(sort(false), ListRequests.byOffset(0, 9, 101, 0, context));
    assertThat(ListRequests.context(later)).isEqualTo(context);
    List<String> shown = new ArrayList<>(before.subList(100, 110));
    shown.retainAll(names.keySet());
    assertThat(later.dns).isEqualTo(shown);
    // Without the context, a list from before is too old by now.
    RecordingSink anew = run(sort(false), ListRequests.byOffset(0, 9, 101, 0, null));
    assertThat(anew.dns).isEqualTo(expected(false).subList(100, 110));
    directory.nowNanos += 2_000_000_000L;
    RecordingSink old = run(sort(false), ListRequests.byOffset(0, 9, 101, 0, context));
    assertThat(ListRequests.context(old)).isNotEqualTo(context);
    assertThat(old.dns).isEqualTo(expected(false).subList(100, 110));
  }
}
