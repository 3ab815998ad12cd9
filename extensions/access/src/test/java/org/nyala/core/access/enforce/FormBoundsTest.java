package org.nyala.core.access.enforce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.nyala.core.session.OperationFixture.SCHEMA;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.decide.CompiledRules;
import org.nyala.core.access.decide.DecidedRules;
import org.nyala.core.access.decide.EntryAccess;
import org.nyala.core.access.decide.GroupMemberships;
import org.nyala.core.access.decide.RuledProfile;
import org.nyala.core.access.enforce.RuledRights.ProfileGuard;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.RandomRules;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.RandomFilters;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ReachGuard;
import org.nyala.core.session.OperationFixture;

/**
 * Bounds forms of filters by the filters that clients send: whatever rules, attributes, options and
 * profiles there are, an item is one test.
 */
final class FormBoundsTest {
  private static final int ROUNDS = Integer.getInteger("nyala.test.formRounds", 60);
  private static final int ITEMS = 1000;
  private static final int OPTIONS = 4000;

  private static final List<String> USERS =
      List.of("", "uid=ann,ou=people,dc=example,dc=com", "uid=bob,ou=people,dc=example,dc=com");

  private static final List<String> PLACES =
      List.of(
          "dc=example,dc=com",
          "uid=ann,ou=people,dc=example,dc=com",
          "cn=book,uid=ann,ou=people,dc=example,dc=com",
          "cn=staff,ou=groups,dc=example,dc=com",
          "uid=other,ou=people,dc=example,dc=com");

  /** Hides one attribute of all. */
  private static final String HIDING =
      """
      to all attributes mail
        all may nothing
      to all
        all may read
      """;

  private final FilterCompiler compiler =
      new FilterCompiler(SCHEMA, _ -> true, 64, 2 * ITEMS + 100);

  /** A client's rights under some rules. */
  private record Client(DecidedRules rules, EntryAccess access) {
    static Client of(AccessRules rules, String user) {
      ClientFacts facts =
          new ClientFacts(
              user.isEmpty() ? null : OperationFixture.entry(user).dn(), null, 0, 0, 71, "simple");
      DecidedRules decided =
          CompiledRules.of(rules, Map.of(), SCHEMA, null).forClient(facts, new NoGroups());
      return new Client(decided, new EntryAccess(decided, (_, _, _, _) -> false));
    }

    ProfileGuard guard(String place, AttributeTable table) {
      Dn name = OperationFixture.entry(place).dn();
      RuledProfile profile = access.profile(name, () -> true);
      assertThat(profile).isNotNull();
      return new ProfileGuard(access, profile, table);
    }

    ReachGuard reach(String base, AttributeTable table) {
      Dn name = OperationFixture.entry(base).dn();
      return new ReachGuard(rules.schema(), rules.reach(name, Scope.SUBTREE), table);
    }
  }

  private record NoGroups() implements GroupMemberships {
    @Override
    public long version() {
      return 1;
    }

    @Override
    public boolean isMember(Group group) {
      return false;
    }
  }

  @Test
  void shouldHaveNoMoreNodesThanTheRequest() throws Exception {
    long seed = Seeds.seed();
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(seed + round);
      AccessRules rules = new RandomRules(SCHEMA, seed + round).nextOfFile(20);
      List<Entry> entries = new RandomDirectory(SCHEMA, seed + round).entries(20);
      AttributeTable table = table(entries, random.nextInt(200));
      RandomFilters filters = new RandomFilters(entries, seed + round);
      FilterNode filter = new FilterNode.Or(List.of(filters.next(6), untyped(1 + round, "cn")));
      String about = "-Dtest.seed=" + seed + " round " + round;
      Set<CompiledFilter> nodes = Collections.newSetFromMap(new IdentityHashMap<>());
      int forms = 0;
      GuardedFilter guarded = compiled(filter);
      for (String user : USERS) {
        Client client = Client.of(rules, user);
        for (String place : PLACES) {
          for (GuardedFilter.Guard guard :
              List.of(client.guard(place, table), client.reach(place, table))) {
            CompiledFilter form = form(guarded, guard);
            int size = size(form, nodes);
            assertThat(size).as(about + filter).isLessThanOrEqualTo(size(filter));
            forms++;
          }
        }
      }
      // Forms for all profiles together, but for the tests of classes, which all filters share.
      assertThat(nodes.size())
          .as(about)
          .isLessThanOrEqualTo(size(filter) * (forms + 1) + SCHEMA.objectClasses().size());
    }
  }

  /** Answers about tests are kept with profiles: they are those of rules that nobody has asked. */
  @Test
  void shouldAnswerAboutATestAsBefore() throws Exception {
    long seed = Seeds.seed();
    int none = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(seed + round);
      AccessRules rules = new RandomRules(SCHEMA, seed + round).nextOfFile(20);
      List<Entry> entries = new RandomDirectory(SCHEMA, seed + round).entries(20);
      List<AttributeTable> tables = List.of(table(entries, 0), table(List.of(), 20));
      RandomFilters filters = new RandomFilters(entries, seed + round);
      String user = USERS.get(random.nextInt(USERS.size()));
      Client warm = Client.of(rules, user);
      List<FilterNode> items = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        items.addAll(new GuardedFilter(compiler, filters.next(4)).items());
      }
      for (int i = 0; i < 200; i++) {
        FilterNode item = items.get(random.nextInt(items.size()));
        AttributeTable table = tables.get(random.nextInt(tables.size()));
        String place = PLACES.get(random.nextInt(PLACES.size()));
        GuardedFilter.Guard.Part part = warm.guard(place, table).of(item, _ -> {});
        assertThat(part)
            .as("-Dtest.seed=" + seed + " round " + round + ' ' + item)
            .isEqualTo(Client.of(rules, user).guard(place, table).of(item, _ -> {}));
        none += part == GuardedFilter.Guard.Part.NONE ? 1 : 0;
      }
    }
    assertThat(none).isBetween(1, 200 * ROUNDS - 1);
  }

  @Test
  void shouldAllocateAsMuchForManyAttributesAsForFew() throws Exception {
    Client client = Client.of(parse(HIDING), "");
    GuardedFilter guarded = compiled(untyped(ITEMS, null));
    AttributeTable few = table(List.of(), 0);
    AttributeTable many = table(List.of(), OPTIONS);
    String place = PLACES.getFirst();
    long ofMany = 0;
    long ofFew = 0;
    for (int i = 0; i < 3; i++) {
      ofFew = allocated(guarded, client.guard(place, few));
      ofMany = allocated(guarded, client.guard(place, many));
    }
    assertThat(ofMany).isLessThanOrEqualTo(ofFew + (64 << 10));
    assertThat(ofMany).isLessThan(1000L * ITEMS);
  }

  @Test
  void shouldAskWhetherTheSliceIsOverAllTheTime() throws Exception {
    Client client = Client.of(parse(HIDING), "");
    AttributeTable table = table(List.of(), OPTIONS);
    List<FilterNode> items = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      items.add(new FilterNode.Equality("cn;lang-none-" + i, "v".getBytes(UTF_8)));
    }
    FilterNode filter = new FilterNode.Or(items);
    GuardedFilter guarded = new GuardedFilter(compiler, filter);
    Pace over = () -> false;
    Compilation compilation = new Compilation(_ -> true);
    int slices = 1;
    while (!guarded.compile(compilation.begin(over))) {
      slices++;
    }
    assertThat(slices).isGreaterThan(ITEMS * 32 / (2 * Compilation.INTERVAL));
    Compilation forming = new Compilation(_ -> true);
    slices = 1;
    GuardedFilter.Guard guard = client.reach(PLACES.getFirst(), table);
    while (guarded.through(guard, forming.begin(over)) == null) {
      slices++;
    }
    // Each item looks at all options of the attribute.
    long work = (long) ITEMS * OPTIONS;
    assertThat((long) slices).isGreaterThan(work / (Compilation.INTERVAL + OPTIONS) / 2);
    assertThat(guarded.through(guard, new Compilation(_ -> true).begin(Pace.UNBOUNDED)))
        .isEqualTo(guarded.through(guard, forming.begin(over)));
  }

  @Test
  void shouldEndWhenThereIsNoMemory() throws Exception {
    GuardedFilter guarded = compiled(untyped(ITEMS, null));
    AttributeTable table = table(List.of(), 10);
    Client client = Client.of(parse(HIDING), "");
    Compilation compilation = new Compilation(Compilation.Room.of(10_000));
    CompiledFilter form =
        guarded.through(client.guard(PLACES.getFirst(), table), compilation.begin(() -> true));
    assertThat(form).isNull();
    assertThat(compilation.isRefused()).isTrue();
    assertThat(refusal(Compilation.Room.of(10_000)).isPassing()).isFalse();
    LongAdder taken = new LongAdder();
    FilterLimitException passing =
        refusal(
            bytes -> {
              taken.add(bytes);
              return taken.sum() <= 10_000;
            });
    assertThat(passing.isPassing()).isTrue();
  }

  private FilterLimitException refusal(Compilation.Room room) {
    Compilation refused = new Compilation(room).begin(() -> true);
    return catchThrowableOfType(
        FilterLimitException.class, () -> compiler.compile(untyped(ITEMS, null), refused));
  }

  private static long allocated(GuardedFilter filter, GuardedFilter.Guard guard) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().threadId();
    long before = threads.getThreadAllocatedBytes(thread);
    CompiledFilter form = form(filter, guard);
    long allocated = threads.getThreadAllocatedBytes(thread) - before;
    assertThat(form).isInstanceOf(CompiledFilter.Or.class);
    return allocated;
  }

  private static CompiledFilter form(GuardedFilter filter, GuardedFilter.Guard guard) {
    CompiledFilter form = filter.form(guard, _ -> true).go(() -> true);
    assertThat(form).isNotNull();
    return form;
  }

  private GuardedFilter compiled(FilterNode filter) throws FilterLimitException {
    GuardedFilter guarded = new GuardedFilter(compiler, filter);
    assertThat(guarded.compile(new Compilation(_ -> true).begin(() -> true))).isTrue();
    return guarded;
  }

  private static FilterNode untyped(int count, String attribute) {
    List<FilterNode> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String of = i % 2 == 0 ? null : attribute;
      items.add(new FilterNode.Extensible("caseIgnoreMatch", of, ("v" + i).getBytes(UTF_8), false));
    }
    items.add(new FilterNode.Equality("objectClass", "person".getBytes(UTF_8)));
    return new FilterNode.Or(items);
  }

  private static AttributeTable table(List<Entry> entries, int options) {
    AttributeTable table = AttributeTable.EMPTY;
    for (String each : List.of("cn", "sn", "mail", "name", "uid", "member", "description")) {
      table = with(table, description(each));
    }
    for (Entry entry : entries) {
      for (AttributeDescription each : entry.descriptions()) {
        table = with(table, each);
      }
    }
    List<AttributeDescription> tagged = new ArrayList<>();
    for (int i = 0; i < options; i++) {
      tagged.add(
          description("cn;lang-" + Integer.toString(i + 36, 36).replace('0', 'z') + "q" + i));
    }
    return table.with(tagged);
  }

  private static AttributeTable with(AttributeTable table, AttributeDescription description) {
    return table.id(description) == AttributeTable.ABSENT ? table.with(description) : table;
  }

  private static AttributeDescription description(String name) {
    return AttributeDescription.parse(SCHEMA, name);
  }

  private static AccessRules parse(String text) throws Exception {
    return RulesParser.parse("rules", text.getBytes(UTF_8), SCHEMA);
  }

  private static int size(FilterNode filter) {
    return switch (filter) {
      case FilterNode.And and -> 1 + and.nodes().stream().mapToInt(FormBoundsTest::size).sum();
      case FilterNode.Or or -> 1 + or.nodes().stream().mapToInt(FormBoundsTest::size).sum();
      case FilterNode.Not not -> 1 + size(not.node());
      default -> 1;
    };
  }

  /** Returns the nodes of a form, one for an item about classes, and adds each once. */
  private static int size(CompiledFilter filter, Set<CompiledFilter> nodes) {
    boolean isNew = nodes.add(filter);
    return switch (filter) {
      case CompiledFilter.And and -> 1 + size(and.nodes(), nodes);
      case CompiledFilter.Or or when isOfClasses(or) ->
          isNew ? Math.min(1, size(or.nodes(), nodes)) : 1;
      case CompiledFilter.Or or -> 1 + size(or.nodes(), nodes);
      case CompiledFilter.Not not -> 1 + size(not.node(), nodes);
      default -> 1;
    };
  }

  private static int size(List<CompiledFilter> parts, Set<CompiledFilter> nodes) {
    return parts.stream().mapToInt(each -> size(each, nodes)).sum();
  }

  private static boolean isOfClasses(CompiledFilter.Or or) {
    return or.nodes().stream()
        .allMatch(
            each ->
                each instanceof CompiledFilter.ValueItem test
                    && test.attribute().description().type().name().equals("objectClass"));
  }
}
