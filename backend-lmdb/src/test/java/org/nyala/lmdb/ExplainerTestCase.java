package org.nyala.lmdb;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.explain.SearchExplainer;
import org.nyala.lmdb.explain.SearchExplanation;

/** People in a store, and explanations of searches among them. */
public abstract class ExplainerTestCase {
  private static final FilterCompiler COMPILER =
      new FilterCompiler(TestStore.SCHEMA, _ -> true, 50, 1000);

  @TempDir public Path directory;

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static FilterNode equal(String attribute, String value) {
    return new FilterNode.Equality(attribute, bytes(value));
  }

  public static CompiledFilter compile(FilterNode node) {
    try {
      return COMPILER.compileOwn(node);
    } catch (FilterLimitException e) {
      throw new IllegalArgumentException(e);
    }
  }

  public static SearchExplanation explain(
      LmdbBackend backend, String base, Scope scope, FilterNode node) {
    Dn dn = base.isEmpty() ? Dn.EMPTY : TestStore.dn(base);
    return explain(backend, dn, scope, compile(node));
  }

  /** Uses a clock of its own, so that nothing is left uncounted if the machine stalls. */
  public static SearchExplanation explain(
      LmdbBackend backend, Dn base, Scope scope, CompiledFilter filter) {
    AtomicLong clock = new AtomicLong();
    return SearchExplainer.explain(
        backend,
        () -> clock.addAndGet(20_000),
        new SearchExplainer.Question(base, scope, filter, Map.of(), 10, Long.MAX_VALUE / 2));
  }

  public static SearchExplanation.Term term(SearchExplanation explanation, String text) {
    return explanation.terms().stream()
        .filter(term -> term.text().contains(text))
        .findFirst()
        .orElseThrow(() -> new AssertionError(text + " is not in " + explanation));
  }

  /** A thousand people with numbers, few of whom have a title. */
  public LmdbBackend people(int count) {
    TestStore.create(directory);
    LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
    try (WriteTransaction write = backend.beginWrite()) {
      Entry top = new Entry(TestStore.dn(TestStore.SUFFIX));
      TestStore.add(top, "objectClass", "domain");
      write.apply(new ResolvedChange.Add(top));
      for (int i = 0; i < count; i++) {
        Entry entry = new Entry(TestStore.dn("uid=u" + i + "," + TestStore.SUFFIX));
        TestStore.add(entry, "objectClass", "inetOrgPerson");
        TestStore.add(entry, "uid", "u" + i);
        TestStore.add(entry, "description", "description " + i % 100);
        TestStore.add(entry, "street", i % 2 == 0 ? "even" : "odd");
        write.apply(new ResolvedChange.Add(entry));
      }
      write.commit();
    }
    return backend;
  }
}
