package org.nyala.architecture;

import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.FilterCompiler;

/**
 * Filters of clients are compiled with a pace and a charge: only filters that no client writes, or
 * that are bounded in another way, are compiled at once.
 */
final class FilterCompilationTest {
  /** The filters of the configuration, of rules and of the server's own questions. */
  private static final Set<String> OWN_FILTERS =
      Set.of(
          "org.nyala.cli.store.ExportCommand",
          "org.nyala.integrity.IntegrityRules",
          "org.nyala.constraint.ConfiguredRule",
          "org.nyala.core.access.decide.ClientConditions",
          "org.nyala.core.access.decide.CompiledRules",
          "org.nyala.dynamic.LifetimeRules",
          "org.nyala.core.filter.FilterCompiler",
          "org.nyala.accounts.AccountScan",
          "org.nyala.core.operation.update.EntryRuleScan",
          "org.nyala.core.operation.update.SchemaReferenceScan",
          "org.nyala.core.operation.update.SchemaUsageCheck",
          "org.nyala.core.policy.PolicyChoice",
          "org.nyala.core.access.enforce.RuledControl",
          // One explanation at a time, on a thread of its own.
          "org.nyala.server.ExplainService");

  /** The assertions of updates, which readings of the clock bound for all of them alike. */
  private static final Set<String> WITHOUT_ACCOUNT =
      Set.of(
          "org.nyala.core.directory.AssertionControl",
          "org.nyala.core.operation.update.UpdateRights");

  @Test
  void shouldCompileAtOnceWhatNoClientWrites() {
    JavaClasses classes =
        ProductionClasses.ALL.that(
            DescribedPredicate.describe(
                "are no benchmarks",
                type ->
                    !type.getSimpleName().contains("Benchmark")
                        && !type.getPackageName().contains("jmh_generated")));
    assertThat(classes.contain("org.nyala.core.operation.search.SearchTerms")).isTrue();
    rule(FilterCompiler.class, "compileOwn", OWN_FILTERS).check(classes);
    rule(Compilation.Room.class, "of", WITHOUT_ACCOUNT).check(classes);
    assertThatThrownBy(() -> rule(FilterCompiler.class, "compileOwn", Set.of()).check(classes))
        .isInstanceOf(AssertionError.class);
  }

  private static ArchRule rule(Class<?> of, String method, Set<String> allowed) {
    DescribedPredicate<JavaCall<?>> calls =
        JavaCall.Predicates.target(owner(JavaClass.Predicates.type(of)))
            .and(JavaCall.Predicates.target(name(method)))
            .forSubtype();
    return noClasses()
        .that(
            DescribedPredicate.describe(
                "are not allowed to", type -> !allowed.contains(topLevel(type).getName())))
        .should()
        .callMethodWhere(calls.forSubtype())
        .as("filters of clients are compiled with a pace and a charge, not by " + method);
  }

  private static JavaClass topLevel(JavaClass type) {
    return type.getEnclosingClass().map(FilterCompilationTest::topLevel).orElse(type);
  }
}
