package org.nyala.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nyala.core.filter.Pace;

/**
 * Checks that work for clients ends with its slice: a pace that never ends is for the writer and
 * for administration. No class that serves a search, a compare or a bind is among them.
 */
class PaceTest {
  /** The classes that may use a pace without an end, with the reason. */
  private static final Map<String, String> ENDLESS =
      Map.of(
          "org.nyala.core.directory.AssertionControl$Looks",
          "the writer's turn, in a counted number of looks",
          "org.nyala.dynamic.EntryExpiry",
          "the start of the server",
          "org.nyala.integrity.DuplicateValues",
          "administration: an import, and the check of a store before it is served",
          "org.nyala.core.operation.update.CurrentUpdate",
          "the writer's turn, of a request that was read by another schema in slices",
          "org.nyala.core.replica.EntryFinder",
          "the writer of a copy, one look-up by an identifier",
          "org.nyala.lmdb.export.LdifExport",
          "administration, on a thread of its own",
          "org.nyala.lmdb.explain.SearchExplainer",
          "administration, on a thread of its own",
          "org.nyala.cli.AccessExplanation",
          "administration, in a process of its own",
          "org.nyala.server.StoredRules",
          "administration, in a process of its own");

  /** A pace of one's own that never ends. */
  private static final Pattern OWN =
      Pattern.compile("\\bPace\\b[^;{}]*(?:->\\s*true\\b|->\\s*\\{\\s*return true;)");

  private static JavaClasses classes;

  @BeforeAll
  static void importClasses() {
    classes = ProductionClasses.SERVER;
    assertThat(classes.contain("org.nyala.core.filter.Pace")).isTrue();
    assertThat(classes.contain("org.nyala.core.operation.values.GroupNames")).isTrue();
  }

  private static ArchRule noEndlessPace() {
    return noClasses()
        .that(
            DescribedPredicate.<JavaClass>describe(
                "are neither the writer's nor administration's",
                type -> !ENDLESS.containsKey(type.getName())))
        .should()
        .getField(Pace.class, "UNBOUNDED");
  }

  @Test
  void shouldGiveOperationsAPaceThatEnds() {
    noEndlessPace().check(classes);
  }

  @Test
  void shouldHaveNoAllowanceThatIsNotUsed() {
    for (String allowed : ENDLESS.keySet()) {
      boolean isUsed =
          classes.get(allowed).getFieldAccessesFromSelf().stream()
              .anyMatch(access -> access.getTarget().getName().equals("UNBOUNDED"));
      assertThat(isUsed).as(allowed).isTrue();
    }
  }

  @Test
  void shouldHaveNoEndlessPaceOfOnesOwn() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path module : Modules.SERVER) {
      try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          if (!file.endsWith("Pace.java") && OWN.matcher(Files.readString(file)).find()) {
            found.add(file.getFileName().toString());
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }

  /** An operation as there must be none. */
  static final class Endless {
    static boolean goesOn() {
      return Pace.UNBOUNDED.goesOn();
    }
  }

  @Test
  void shouldFindAPaceWithoutEnd() {
    JavaClasses endless = new ClassFileImporter().importClasses(Endless.class);

    assertThatThrownBy(() -> noEndlessPace().check(endless)).hasMessageContaining("UNBOUNDED");
    assertThat(OWN.matcher("Pace mine = () -> true;").find()).isTrue();
    assertThat(OWN.matcher("of(Pace pace, () -> { return true; })").find()).isTrue();
    assertThat(OWN.matcher("Pace pace = plan.pace(); Runnable other = () -> true;").find())
        .isFalse();
  }
}
