package org.nyala.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.session.OperationFixture;

/** Tests remembered results of filters that ask for object classes alone. */
class ClassResultsTest {
  private static final int ROUNDS = 2_000;
  private static final List<String> CLASSES =
      List.of("inetOrgPerson", "person", "device", "organizationalUnit", "domain", "account");

  private final FilterCompiler compiler =
      new FilterCompiler(OperationFixture.SCHEMA, _ -> true, 10, 1_000);
  private final FilterMatcher matcher = new FilterMatcher(OperationFixture.SCHEMA, _ -> true);

  private CompiledFilter compiled(String filter) throws FilterLimitException {
    return compiler.compileOwn(FilterParser.parse(filter));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(objectClass=person)",
        "(objectClass=device)",
        "(!(objectClass=person))",
        "(&(objectClass=person)(!(objectClass=inetOrgPerson)))",
        "(|(objectClass=device)(objectClass=account))",
      })
  void shouldKnowWhatTheMatcherFinds(String text) throws FilterLimitException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    CompiledFilter filter = compiled(text);
    ClassResults results = ClassResults.of(filter);
    EntryView view = new EntryView();
    for (int i = 0; i < ROUNDS; i++) {
      List<String> pairs = new ArrayList<>(List.of("cn", "c" + random.nextInt(3)));
      for (int j = random.nextInt(4); j > 0; j--) {
        pairs.add("objectClass");
        pairs.add(CLASSES.get(random.nextInt(CLASSES.size())));
      }
      VirtualEntry entry =
          VirtualEntry.of(OperationFixture.entry("cn=x", pairs.toArray(String[]::new)));
      entry.show(view);
      AttributeTable table = entry.table();
      boolean matches =
          matcher.match(filter, view, table, VirtualEntry::hasSubordinates) == Ternary.TRUE;
      Boolean found = results.of(view, table);
      String about = "test.seed=" + seed + ' ' + pairs;
      if (found != null) {
        assertThat(found).as(about).isEqualTo(matches);
      }
      results.keep(view, table, matches);
      boolean hasClasses = pairs.contains("objectClass");
      assertThat(results.of(view, table)).as(about).isEqualTo(hasClasses ? matches : null);
    }
  }

  @Test
  void shouldLeaveOtherFiltersAlone() throws FilterLimitException {
    for (String other :
        List.of("(cn=person)", "(&(objectClass=person)(cn=x))", "(objectClass=*)", "(&)")) {
      assertThat(ClassResults.of(compiled(other))).as(other).isNull();
    }
  }
}
