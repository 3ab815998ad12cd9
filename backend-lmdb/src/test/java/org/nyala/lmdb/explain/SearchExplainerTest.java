package org.nyala.lmdb.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.ExplainerTestCase;
import org.nyala.lmdb.FilterOracle;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.explain.ExplainedTerms.TermText;

/** Explanations of searches, compared with the searches. */
class SearchExplainerTest extends ExplainerTestCase {
  private static final List<Scope> SCOPES = List.of(Scope.values());

  @Test
  void shouldTellWhichIndexAnswersWhat() {
    try (LmdbBackend backend = people(1000)) {
      SearchExplanation found =
          explain(
              backend,
              TestStore.SUFFIX,
              Scope.SUBTREE,
              new FilterNode.And(
                  List.of(equal("objectClass", "inetOrgPerson"), equal("description", "x"))));
      assertThat(found.storeEntries()).isEqualTo(1001);
      assertThat(found.entriesRead()).isEqualTo(1000);
      assertThat(found.results()).isZero();
      assertThat(found.isComplete()).isTrue();
      assertThat(found.isExact()).isFalse();
      assertThat(found.plan()).isEqualTo("candidates are looked up; each is tested");
      SearchExplanation.Term byClass = term(found, "(objectClass=");
      assertThat(byClass.index()).isEqualTo("objectclass:eq");
      assertThat(byClass.candidates()).isEqualTo(1000);
      assertThat(byClass.matches()).isEqualTo(1000);
      SearchExplanation.Term byText = term(found, "(description=x)");
      assertThat(byText.depth()).isEqualTo(1);
      assertThat(byText.index()).isEmpty();
      assertThat(byText.note()).isEqualTo("no index");
      assertThat(byText.candidates()).isEqualTo(SearchExplanation.UNKNOWN);
      assertThat(found.stages())
          .extracting(SearchExplanation.Stage::name)
          .containsExactly("find the base", "plan", "read candidates", "test entries");
      SearchExplanation exact =
          explain(backend, TestStore.SUFFIX, Scope.SUBTREE, equal("uid", "u7"));
      assertThat(exact.isExact()).isTrue();
      assertThat(exact.entriesRead()).isEqualTo(1);
      assertThat(exact.results()).isEqualTo(1);
      assertThat(exact.advice()).isEmpty();
      assertThat(term(exact, "uid").index()).isEqualTo("uid:eq");
    }
  }

  @Test
  void shouldSayWhatIsLookedUpInVain() {
    try (LmdbBackend backend = people(300)) {
      SearchExplanation found =
          explain(
              backend,
              "",
              Scope.SUBTREE,
              new FilterNode.Or(List.of(equal("uid", "u7"), equal("street", "odd"))));
      assertThat(found.plan()).startsWith("no index helps");
      assertThat(term(found, "(uid=").note()).isEqualTo("in vain: another part of the OR is not");
      assertThat(term(found, "(street=").note()).isEqualTo("no index");
      SearchExplanation indexed =
          explain(
              backend,
              "",
              Scope.SUBTREE,
              new FilterNode.Or(List.of(equal("uid", "u7"), equal("uid", "u8"))));
      assertThat(term(indexed, "(uid=u7)").note()).isEmpty();
      FilterNode.Substrings pieces =
          new FilterNode.Substrings("uid", null, List.of(bytes("u12")), null);
      SearchExplanation.Term narrowed = term(explain(backend, "", Scope.SUBTREE, pieces), "u12");
      assertThat(narrowed.index()).isEqualTo("uid:sub");
      assertThat(narrowed.note())
          .isEqualTo("narrows to " + narrowed.candidates() + ", each checked");
      SearchExplanation negated = explain(backend, "", Scope.SUBTREE, new FilterNode.Not(pieces));
      assertThat(term(negated, "u12").note()).startsWith("in vain: a NOT needs");
    }
  }

  @Test
  void shouldNotReadWhatIsNotThere() {
    try (LmdbBackend backend = people(300)) {
      SearchExplanation found =
          explain(backend, "", Scope.SUBTREE, new FilterNode.Not(equal("uid", "u7")));
      assertThat(found.results()).isEqualTo(300);
      // A NOT contains all ids of a block except those of its part; after the last entry is a gap.
      assertThat(found.entriesRead()).isBetween(300L, 302L);
    }
  }

  @Test
  void shouldTellValuesApartThatLookAlike() {
    try (LmdbBackend backend = people(3)) {
      CompiledFilter plain = compile(equal("description", "00"));
      CompiledFilter binary = compile(new FilterNode.Equality("description", new byte[] {0}));
      CompiledFilter escape = compile(equal("description", "\\00"));
      assertThat(List.of(TermText.of(plain), TermText.of(binary), TermText.of(escape)))
          .doesNotHaveDuplicates();
      SearchExplanation found =
          SearchExplainer.explain(
              backend,
              System::nanoTime,
              new SearchExplainer.Question(
                  Dn.EMPTY,
                  Scope.SUBTREE,
                  new CompiledFilter.Or(List.of(plain, binary)),
                  Map.of(plain, "the plain one", binary, "the binary one"),
                  1,
                  Long.MAX_VALUE / 2));
      assertThat(found.terms())
          .extracting(SearchExplanation.Term::text)
          .containsExactly("|", "the plain one", "the binary one");
    }
  }

  @Test
  void shouldCountWithinTheTimeToo() {
    try (LmdbBackend backend = people(300)) {
      AtomicLong clock = new AtomicLong();
      SearchExplanation cut =
          SearchExplainer.explain(
              backend,
              () -> clock.addAndGet(600_000_000),
              new SearchExplainer.Question(
                  Dn.EMPTY,
                  Scope.SUBTREE,
                  compile(equal("uid", "u7")),
                  Map.of(),
                  1,
                  60_000_000_000L));
      assertThat(cut.isComplete()).isTrue();
      assertThat(cut.terms().getFirst().candidates()).isEqualTo(SearchExplanation.UNKNOWN);
      SearchExplanation unwanted =
          SearchExplainer.explain(
              backend,
              System::nanoTime,
              new SearchExplainer.Question(
                  Dn.EMPTY,
                  Scope.SUBTREE,
                  compile(equal("street", "odd")),
                  Map.of(),
                  List.of(),
                  1,
                  60_000_000_000L,
                  () -> false));
      assertThat(unwanted.isComplete()).isFalse();
      assertThat(unwanted.entriesRead()).isZero();
      assertThat(unwanted.advice()).isEmpty();
    }
  }

  @Test
  void shouldRefuseABaseThatIsNotThere() {
    try (LmdbBackend backend = people(3)) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> explain(backend, "ou=x," + TestStore.SUFFIX, Scope.SUBTREE, equal("uid", "u1")))
          .withMessageContaining("there is no entry ou=x");
      SearchExplanation base =
          explain(backend, "uid=u1," + TestStore.SUFFIX, Scope.BASE, equal("uid", "u1"));
      assertThat(base.plan()).startsWith("the base entry is read");
      assertThat(base.results()).isEqualTo(1);
      assertThat(base.entriesRead()).isEqualTo(1);
    }
  }

  @Test
  void shouldEndInTime() {
    try (LmdbBackend backend = people(50)) {
      AtomicLong clock = new AtomicLong();
      SearchExplanation cut =
          SearchExplainer.explain(
              backend,
              () -> clock.addAndGet(1_000_000_000),
              new SearchExplainer.Question(
                  Dn.EMPTY,
                  Scope.SUBTREE,
                  compile(equal("street", "odd")),
                  Map.of(),
                  1,
                  20_000_000_000L));
      assertThat(cut.isComplete()).isFalse();
      assertThat(cut.entriesRead()).isBetween(1L, 20L);
    }
  }

  @Test
  void shouldFindWhatSearchesFind() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    TestStore store = TestStore.random(directory, random, 1500);
    FilterMatcher matcher = new FilterMatcher(TestStore.SCHEMA, _ -> true);
    try (LmdbBackend backend = store.open()) {
      FilterOracle oracle = new FilterOracle(store, random);
      for (int i = 0; i < 300; i++) {
        CompiledFilter filter = oracle.filter(3);
        Dn base = store.entries.get(store.randomId(random)).dn();
        Scope scope = SCOPES.get(random.nextInt(SCOPES.size()));
        SearchExplanation explanation = explain(backend, base, scope, filter);
        String context = "seed " + seed + " " + filter + " " + scope + " " + base;
        assertThat(explanation.results())
            .as(context)
            .isEqualTo(count(backend, matcher, base, scope, filter));
        for (SearchExplanation.Term term : explanation.terms()) {
          // The entries found by an index include at least those for which the test is true.
          if (term.candidates() >= 0 && term.matches() >= 0) {
            assertThat(term.matches()).as(context + term).isLessThanOrEqualTo(term.candidates());
          }
        }
      }
    }
  }

  private static long count(
      LmdbBackend backend, FilterMatcher matcher, Dn base, Scope scope, CompiledFilter filter) {
    long count = 0;
    EntryView view = new EntryView();
    try (ReadTransaction read = backend.beginRead()) {
      SearchSpec all =
          new SearchSpec(read.find(base), scope, CompiledFilter.Constant.TRUE, false, false);
      try (EntryCursor cursor = read.search(all, 0)) {
        while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
          boolean isHidden = scope != Scope.BASE && (view.flags() & EntryRecord.SUBENTRY) != 0;
          boolean isMatch =
              matcher.match(filter, view, read.attributes(), read::hasSubordinates) == Ternary.TRUE;
          count += isMatch && !isHidden ? 1 : 0;
        }
      }
    }
    return count;
  }
}
