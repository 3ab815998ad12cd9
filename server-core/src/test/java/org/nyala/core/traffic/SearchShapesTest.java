package org.nyala.core.traffic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** The table of searches by shape, beside a map without bounds. */
class SearchShapesTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final long MICRO = 1000;
  private static final String SECRET = "s3cretValue";

  private final AtomicLong clock = new AtomicLong();

  private SearchShapes table(int most, long seed) {
    return new SearchShapes(most, () -> SCHEMA, clock::get, seed);
  }

  private static FilterNode equal(String attribute, String value) {
    return new FilterNode.Equality(attribute, value.getBytes(UTF_8));
  }

  private static Request.Search search(Scope scope, FilterNode filter, String... attributes) {
    return new Request.Search(
        1,
        "dc=" + SECRET,
        scope,
        DerefAliases.NEVER,
        0,
        0,
        false,
        filter,
        List.of(attributes),
        List.of());
  }

  private static void add(SearchShapes table, Request.Search search, int rdns, long nanos) {
    ShapeRow row = table.row(search, rdns, nanos, 0);
    if (row != null) {
      boolean _ = row.add(nanos, 3, 1, 0, 0);
    }
  }

  /** Makes up searches of few shapes, and says in its own way what they have in common. */
  private static final class Searches {
    private static final List<String> NAMES =
        List.of("cn", "CN", "commonName", "2.5.4.3", "sn", "uid", "cn;lang-de", "nosuch", "other");

    private final Random random;

    private Searches(long seed) {
      random = new Random(seed);
    }

    private String name() {
      return NAMES.get(random.nextInt(NAMES.size()));
    }

    private byte[] value() {
      return Long.toString(random.nextLong()).getBytes(UTF_8);
    }

    private byte @Nullable [] piece() {
      return random.nextBoolean() ? value() : null;
    }

    private List<FilterNode> parts(int depth) {
      List<FilterNode> parts = new ArrayList<>();
      int size = random.nextInt(3);
      for (int i = 0; i < size; i++) {
        FilterNode part = filter(depth + 1);
        int times = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1;
        for (int j = 0; j < times; j++) {
          parts.add(part);
        }
      }
      return parts;
    }

    private FilterNode filter(int depth) {
      int kinds = depth > 1 ? 7 : 10;
      return switch (random.nextInt(kinds)) {
        case 0, 1 -> new FilterNode.Equality(name(), value());
        case 2 -> new FilterNode.Present(name());
        case 3 -> new FilterNode.GreaterOrEqual(name(), value());
        case 4 -> new FilterNode.LessOrEqual(name(), value());
        case 5 ->
            new FilterNode.Substrings(
                name(), piece(), random.nextBoolean() ? List.of(value()) : List.of(), piece());
        case 6 ->
            new FilterNode.Extensible(
                random.nextBoolean() ? "caseIgnoreMatch" : null,
                random.nextBoolean() ? name() : null,
                value(),
                random.nextBoolean());
        case 7 -> new FilterNode.Not(filter(depth + 1));
        case 8 -> new FilterNode.And(parts(depth));
        default -> new FilterNode.Or(parts(depth));
      };
    }

    private Request.Search next() {
      Scope scope = random.nextBoolean() ? Scope.BASE : Scope.ONE_LEVEL;
      String[][] selections = {{}, {"cn"}, {"cn", "sn"}, {"sn", "cn"}, {"1.1"}};
      return search(scope, filter(0), selections[random.nextInt(selections.length)]);
    }

    private static String type(@Nullable String description) {
      if (description == null) {
        return "-";
      }
      String[] words = description.split(";", 2);
      AttributeType type = SCHEMA.attributeType(words[0]);
      return (type == null ? "unknown" : type.oid()) + (words.length == 1 ? "" : ";");
    }

    private static String kind(Object... words) {
      return List.of(words).toString();
    }

    private static String all(String operator, List<FilterNode> nodes) {
      StringBuilder text = new StringBuilder(operator);
      String before = "";
      for (FilterNode node : nodes) {
        String part = text(node);
        boolean isSame = part.equals(before);
        text.append(isSame ? text.charAt(text.length() - 1) == '+' ? "" : "+" : part);
        before = part;
      }
      return text.append(')').toString();
    }

    private static String text(FilterNode filter) {
      return switch (filter) {
        case FilterNode.And and -> all("(&", and.nodes());
        case FilterNode.Or or -> all("(|", or.nodes());
        case FilterNode.Not not -> "(!" + text(not.node()) + ")";
        case FilterNode.Equality item -> kind("eq", type(item.attribute()));
        case FilterNode.GreaterOrEqual item -> kind("ge", type(item.attribute()));
        case FilterNode.LessOrEqual item -> kind("le", type(item.attribute()));
        case FilterNode.Approximate item -> kind("ap", type(item.attribute()));
        case FilterNode.Present item -> kind("pr", type(item.attribute()));
        case FilterNode.Substrings item ->
            kind(
                "su",
                type(item.attribute()),
                item.initial() != null,
                item.any().isEmpty(),
                item.last() != null);
        case FilterNode.Extensible item ->
            kind("ex", type(item.attribute()), rule(item.rule()), item.dnAttributes());
      };
    }

    private static String rule(@Nullable String name) {
      MatchingRule rule = name == null ? null : SCHEMA.matchingRule(name);
      return rule == null ? "none" : rule.oid();
    }

    private static String shape(Request.Search search) {
      return kind(search.scope(), text(search.filter()), new TreeSet<>(search.attributes()));
    }
  }

  @Test
  void shouldCountAsAMapWithoutBoundsWould() {
    long seed = System.nanoTime();
    Searches searches = new Searches(seed);
    SearchShapes table = table(1 << 18, seed);
    Map<String, Long> counts = new HashMap<>();
    Map<String, ShapeRow> rows = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      Request.Search next = searches.next();
      String shape = Searches.shape(next);
      counts.merge(shape, 1L, Long::sum);
      ShapeRow row = Objects.requireNonNull(table.row(next, 2, MICRO, 0), "seed " + seed);
      ShapeRow before = rows.putIfAbsent(shape, row);
      assertThat(before == null ? row : before).as("seed %d: %s", seed, shape).isSameAs(row);
      boolean _ = row.add(MICRO, 3, 1, 0, 0);
    }
    SearchShapes.Look look = table.look();
    assertThat(look.droppedSearches()).as("seed %d", seed).isZero();
    assertThat(look.shapes()).as("seed %d", seed).hasSameSizeAs(counts.keySet());
    rows.forEach(
        (shape, row) ->
            assertThat(row.count()).as("seed %d: %s", seed, shape).isEqualTo(counts.get(shape)));
    assertThat(look.nanos()).as("seed %d", seed).isEqualTo(20_000 * MICRO);
  }

  @Test
  void shouldLoseNoSearchOfASmallTable() {
    long seed = System.nanoTime();
    Searches searches = new Searches(seed);
    SearchShapes table = table(24, seed);
    for (int i = 0; i < 50_000; i++) {
      add(table, searches.next(), 2, MICRO);
    }
    SearchShapes.Look look = table.look();
    long kept = look.shapes().stream().mapToLong(ShapeFigures::count).sum();
    assertThat(look.shapes()).as("seed %d", seed).hasSizeBetween(16, 24);
    assertThat(kept + look.droppedSearches()).as("seed %d", seed).isEqualTo(50_000);
    assertThat(look.nanos()).as("seed %d", seed).isEqualTo(50_000 * MICRO);
  }

  @Test
  void shouldTellShapesApart() {
    SearchShapes table = table(64, 1);
    add(table, search(Scope.SUBTREE, equal("uid", "a")), 2, MICRO);
    add(table, search(Scope.SUBTREE, equal("UID", "b")), 2, MICRO);
    add(table, search(Scope.ONE_LEVEL, equal("uid", "a")), 2, MICRO);
    add(table, search(Scope.SUBTREE, equal("uid", "a")), 3, MICRO);
    add(table, search(Scope.SUBTREE, equal("uid", "a"), "cn", "Mail"), 2, MICRO);
    add(table, search(Scope.SUBTREE, new FilterNode.Or(List.of(equal("sn", "a")))), 2, MICRO);
    assertThat(table.look().shapes())
        .extracting(each -> each.shape() + " " + each.shape().attributes() + " " + each.count())
        .containsExactlyInAnyOrder(
            "sub (uid=?) * 2",
            "one (uid=?) * 1",
            "sub (uid=?) * 1",
            "sub (uid=?) cn mail 1",
            "sub (|(sn=?)) * 1");
    table.clear();
    assertThat(table.look().shapes()).isEmpty();
  }

  @Test
  void shouldKeepHeavyShapesUnderAFlood() {
    SearchShapes table = table(64, 7);
    for (int i = 0; i < 16; i++) {
      for (int j = 0; j < 1000; j++) {
        add(table, search(Scope.SUBTREE, equal("uid", "a"), "heavy" + i), 2, 1000 * MICRO);
      }
    }
    for (int i = 0; i < 100_000; i++) {
      Request.Search endless = search(Scope.SUBTREE, equal("cn", "x"), "made-up-" + i);
      add(table, endless, 2, 30 * MICRO);
      add(table, endless, 2, 30 * MICRO);
    }
    SearchShapes.Look look = table.look();
    assertThat(look.shapes()).hasSizeLessThanOrEqualTo(64);
    assertThat(look.shapes().subList(0, 16))
        .allSatisfy(
            each -> {
              assertThat(each.shape().text()).isEqualTo("(uid=?)");
              assertThat(each.count()).isEqualTo(1000);
            });
    long kept = look.shapes().stream().mapToLong(ShapeFigures::count).sum();
    assertThat(kept + look.droppedSearches()).isEqualTo(216_000);
  }

  @Test
  void shouldMakeNoRowsForShapesThatComeOnce() {
    SearchShapes table = table(16, 7);
    for (int i = 0; i < 1000; i++) {
      add(table, search(Scope.SUBTREE, equal("cn", "x"), "first-" + i), 2, MICRO);
    }
    int made = table.look().shapes().stream().mapToInt(ShapeFigures::number).max().orElseThrow();
    for (int i = 0; i < 100_000; i++) {
      add(table, search(Scope.SUBTREE, equal("cn", "x"), "once-" + i), 2, MICRO);
    }
    assertThat(table.look().shapes()).extracting(ShapeFigures::number).allMatch(n -> n <= made);
    assertThat(made).isEqualTo(16);
  }

  @Test
  void shouldGiveWayToAShapeThatTakesMoreTime() {
    SearchShapes table = table(8, 7);
    for (int i = 0; i < 8; i++) {
      add(table, search(Scope.SUBTREE, equal("cn", "x"), "early-" + i), 2, 100 * MICRO);
    }
    Request.Search late = search(Scope.SUBTREE, equal("sn", "x"));
    for (int i = 0; i < 200; i++) {
      add(table, late, 2, 10 * MICRO);
    }
    assertThat(table.look().shapes())
        .anySatisfy(each -> assertThat(each.shape().text()).isEqualTo("(sn=?)"))
        .hasSize(8);
  }

  @Test
  void shouldCountTheSameWhenAllStripesAreTaken() {
    SearchShapes table = table(128, 3);
    List<Request.Search> searches =
        List.of(search(Scope.SUBTREE, equal("uid", "a")), search(Scope.SUBTREE, equal("cn", "a")));
    List<ShapeRow> rows =
        searches.stream()
            .map(each -> Objects.requireNonNull(table.row(each, 2, MICRO, 0)))
            .toList();
    for (int i = 0; i < 1000; i++) {
      int marks = i & ShapeRow.SCANNED | i & ShapeRow.SIZE_LIMITED | i & ShapeRow.LOOKED_THROUGH;
      boolean _ = rows.getFirst().add(i * MICRO, i, 2L * i, marks, i);
      assertThat(rows.getLast().addBesideOthers(i * MICRO, i, 2L * i, marks, i)).isEqualTo(i);
    }
    List<ShapeFigures> figures = table.look().shapes();
    assertThat(figures.getLast())
        .usingRecursiveComparison()
        .ignoringFields("number", "shape")
        .isEqualTo(figures.getFirst());
  }

  @Test
  void shouldCountExactlyWhenManyThreadsAdd() throws Exception {
    SearchShapes table = table(128, 3);
    List<Request.Search> searches = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      searches.add(search(Scope.SUBTREE, equal("uid", "a"), "list-" + i));
      add(table, searches.getLast(), 2, MICRO);
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Callable<Boolean>> tasks = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        Dn name = DnParser.parse(SCHEMA, "cn=client " + thread);
        tasks.add(
            () -> {
              for (int i = 0; i < 20_000; i++) {
                ShapeRow row = Objects.requireNonNull(table.row(searches.get(i % 20), 2, MICRO, i));
                if (row.add(MICRO, 2, 1, ShapeRow.SCANNED | ShapeRow.WHOLE, i)) {
                  row.client(name, "10.0.0.1", MICRO);
                }
              }
              return true;
            });
      }
      for (Future<Boolean> each : threads.invokeAll(tasks)) {
        assertThat(each.get(1, TimeUnit.MINUTES)).isTrue();
      }
    }
    assertThat(table.look().shapes())
        .hasSize(20)
        .allSatisfy(
            each -> {
              assertThat(each.count()).isEqualTo(8001);
              assertThat(each.nanos()).isEqualTo(8001 * MICRO);
              assertThat(each.read()).isEqualTo(16_003);
              assertThat(each.returned()).isEqualTo(8001);
              assertThat(each.scans()).isEqualTo(8000);
              assertThat(each.whole()).isEqualTo(8000);
              assertThat(each.lookThroughs()).isZero();
              assertThat(each.clients()).hasSizeLessThanOrEqualTo(4);
            });
  }

  @Test
  void shouldFindTheClientsThatTakeMostTime() throws InvalidDnException {
    ShapeClients clients = new ShapeClients();
    for (int i = 0; i < 10_000; i++) {
      Dn name = DnParser.parse(SCHEMA, i % 2 == 0 ? "cn=half" : "cn=other " + i);
      clients.add(name, "10.0.0." + i % 2, 100);
    }
    assertThat(clients.list().getFirst())
        .satisfies(
            first -> {
              assertThat(first.name()).isEqualTo("cn=half");
              assertThat(first.address()).isEqualTo("10.0.0.0");
              assertThat(first.percent()).isBetween(45, 50);
            });
    assertThat(clients.list()).hasSizeLessThanOrEqualTo(4);
    ShapeClients long512 = new ShapeClients();
    long512.add(DnParser.parse(SCHEMA, "cn=" + "x".repeat(600)), "10.0.0.1", 100);
    assertThat(long512.list()).isEmpty();
  }

  /** Returns all texts and values in a filter. */
  private static String dump(FilterNode filter) {
    return switch (filter) {
      case FilterNode.And and -> and.nodes().stream().map(SearchShapesTest::dump).toList() + "&";
      case FilterNode.Or or -> or.nodes().stream().map(SearchShapesTest::dump).toList() + "|";
      case FilterNode.Not not -> "!" + dump(not.node());
      case FilterNode.Equality item -> item.attribute() + new String(item.value(), UTF_8);
      case FilterNode.GreaterOrEqual item -> item.attribute() + new String(item.value(), UTF_8);
      case FilterNode.LessOrEqual item -> item.attribute() + new String(item.value(), UTF_8);
      case FilterNode.Approximate item -> item.attribute() + new String(item.value(), UTF_8);
      case FilterNode.Present item -> item.attribute();
      case FilterNode.Substrings item -> {
        StringBuilder text = new StringBuilder(item.attribute());
        byte[] initial = item.initial();
        byte[] last = item.last();
        text.append(initial == null ? "" : new String(initial, UTF_8));
        item.any().forEach(piece -> text.append(new String(piece, UTF_8)));
        yield text.append(last == null ? "" : new String(last, UTF_8)).toString();
      }
      case FilterNode.Extensible item ->
          item.attribute() + item.rule() + new String(item.value(), UTF_8);
    };
  }

  @Test
  void shouldHoldNothingThatClientsMakeUp() {
    byte[] value = SECRET.getBytes(UTF_8);
    FilterNode all =
        new FilterNode.And(
            List.of(
                equal("cn", SECRET),
                equal(SECRET, "x"),
                equal("cn;" + SECRET, "x"),
                new FilterNode.Or(
                    List.of(equal("uid", SECRET), equal("uid", "b"), equal("uid", "c"))),
                new FilterNode.Not(
                    new FilterNode.Substrings("mail", value, List.of(value, value), value)),
                new FilterNode.GreaterOrEqual("uidNumber", value),
                new FilterNode.LessOrEqual("uidNumber", value),
                new FilterNode.Approximate("cn", value),
                new FilterNode.Present(SECRET),
                new FilterNode.Extensible(SECRET, "ou", value, true),
                new FilterNode.Extensible("2.5.13.2", null, value, false)));
    SearchShapes table = table(64, 1);
    add(table, search(Scope.SUBTREE, all, "cn", SECRET, "sn;" + SECRET, "@" + SECRET), 2, MICRO);
    ShapeFigures found = table.look().shapes().getFirst();
    assertThat(found.shape().text())
        .isEqualTo(
            "(&(cn=?)(?=?)(cn;?=?)(|(uid=?)...)(!(mail=?*?*?))(uidnumber>=?)(uidnumber<=?)(cn~=?)"
                + "(?=*)(ou:dn:?:=?)(:2.5.13.2:=?))");
    assertThat(found.shape().attributes()).isEqualTo("? cn sn;?");
    assertThat(dump(found.shape().filter()) + found).doesNotContain(SECRET);
  }

  @Test
  void shouldLookAtBoundedPartsOfAFilter() {
    List<FilterNode> many = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      many.add(i % 2 == 0 ? equal("cn", "a") : equal("sn", "b"));
    }
    FilterNode deep = equal("cn", "a");
    for (int i = 0; i < 2000; i++) {
      deep = new FilterNode.Not(deep);
    }
    SearchShapes table = table(64, 1);
    add(table, search(Scope.SUBTREE, new FilterNode.Or(many)), 2, MICRO);
    add(table, search(Scope.SUBTREE, deep), 2, MICRO);
    many.add(equal("uid", "beyond"));
    add(table, search(Scope.SUBTREE, new FilterNode.Or(many)), 2, MICRO);
    assertThat(table.look().shapes())
        .extracting(ShapeFigures::count)
        .containsExactlyInAnyOrder(2L, 1L);
    assertThat(table.look().shapes())
        .allSatisfy(each -> assertThat(each.shape().text()).hasSize(512).endsWith("..."));
  }

  @Test
  void shouldCountNothingWithoutRows() {
    SearchShapes none = table(0, 1);
    assertThat(none.room()).isZero();
    assertThat(none.look().shapes()).isEmpty();
  }
}
