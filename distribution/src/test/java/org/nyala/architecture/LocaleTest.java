package org.nyala.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.SimpleDateFormat;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Checks that no text depends on the locale of the machine: some have other digits, or other
 * capital letters for ASCII ones.
 */
class LocaleTest {
  /** Methods that take the default locale unless one is given. */
  private static final Set<String> FORMATS =
      Set.of("format", "formatted", "printf", "ofPattern", "toLowerCase", "toUpperCase");

  private static final Set<String> DEFAULTS =
      Set.of(
          "getInstance",
          "getNumberInstance",
          "getIntegerInstance",
          "getDateInstance",
          "getDateTimeInstance",
          "getDefault",
          "getCurrencyInstance",
          "getPercentInstance");

  private static final Set<String> TEXT =
      Set.of(
          "java.lang.String",
          "java.io.PrintStream",
          "java.io.PrintWriter",
          "java.io.Console",
          "java.util.Formatter",
          "java.time.format.DateTimeFormatter");

  private static ArchRule noTextOfADefaultLocale() {
    return noClasses()
        .should()
        .accessTargetWhere(
            target(
                DescribedPredicate.describe(
                    "takes the default locale", LocaleTest::takesDefaultLocale)))
        .because("stored and parsed texts are the same on each machine: give Locale.ROOT");
  }

  private static boolean takesDefaultLocale(AccessTarget target) {
    if (!(target instanceof AccessTarget.CodeUnitCallTarget code)) {
      return false;
    }
    boolean isGiven =
        code.getRawParameterTypes().stream()
            .anyMatch(
                type ->
                    type.isEquivalentTo(Locale.class)
                        || type.isEquivalentTo(DecimalFormatSymbols.class));
    String owner = code.getOwner().getName();
    boolean isText = TEXT.contains(owner) && FORMATS.contains(code.getName());
    boolean isOfTexts =
        owner.startsWith("java.text.")
            && (DEFAULTS.contains(code.getName())
                || code.getName().equals("<init>")
                    && (owner.endsWith("Format") || owner.endsWith("Symbols")));
    boolean isLocale = owner.equals("java.util.Locale") && code.getName().equals("getDefault");
    // The formatter of a pattern formats a time, not a text.
    boolean isTime =
        owner.equals("java.time.format.DateTimeFormatter") && code.getName().equals("format");
    return !isGiven && !isTime && (isText || isOfTexts) || isLocale;
  }

  @Test
  void shouldGiveEachTextItsLocale() {
    assertThat(ProductionClasses.ALL).hasSizeGreaterThan(1000);
    noTextOfADefaultLocale().check(ProductionClasses.ALL);
  }

  @Test
  void shouldFindTextsOfADefaultLocale() {
    for (Class<?> each :
        new Class<?>[] {Formatted.class, Lowered.class, Dated.class, Numbered.class}) {
      JavaClasses one = new ClassFileImporter().importClasses(each);
      assertThatThrownBy(() -> noTextOfADefaultLocale().check(one))
          .as(each.getSimpleName())
          .isInstanceOf(AssertionError.class);
    }
  }

  @SuppressWarnings("unused")
  private static final class Formatted {
    static String text(int number) {
      return "%d".formatted(number);
    }
  }

  @SuppressWarnings({"unused", "StringCaseLocaleUsage"})
  private static final class Lowered {
    static String text(String name) {
      return name.toLowerCase();
    }
  }

  @SuppressWarnings("unused")
  private static final class Dated {
    static SimpleDateFormat format() {
      return new SimpleDateFormat("yyyy");
    }
  }

  @SuppressWarnings("unused")
  private static final class Numbered {
    static DecimalFormat format() {
      return new DecimalFormat("0000", new DecimalFormatSymbols());
    }
  }
}
