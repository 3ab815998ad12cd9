package org.nyala.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;

/**
 * The classes that rules of the build are about, read once for each JVM: those of tests come in
 * folders and, from other modules, in jars.
 */
final class ProductionClasses {
  /** All of them, also those of the load tester and its benchmarks in packages of others. */
  static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("org.nyala");

  /** Those of the server. */
  static final JavaClasses SERVER =
      ALL.that(
          DescribedPredicate.describe(
              "are no part of the load tester",
              (JavaClass type) ->
                  type.getSource()
                      .map(source -> !source.getUri().toString().contains("loadtest"))
                      .orElse(true)));

  private static final String OPERATIONS = "org.nyala.core.operation.";
  private static final String ACCOUNTS = "org.nyala.accounts.";
  private static final String DYNAMIC = "org.nyala.dynamic.";

  /** Those that carry out operations. */
  static final JavaClasses OPERATING =
      SERVER.that(
          DescribedPredicate.describe("are of operations", ProductionClasses::isOfOperations));

  private ProductionClasses() {}

  /** Returns whether a class carries out operations. */
  static boolean isOfOperations(JavaClass type) {
    String home = type.getPackageName() + '.';
    return home.startsWith(OPERATIONS) || home.equals(ACCOUNTS) || home.equals(DYNAMIC);
  }

  /** Returns the name within its package of a class that carries out operations, or the outer. */
  static String operation(JavaClass each) {
    JavaClass outer = each;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    String name = outer.getName();
    return Stream.of(OPERATIONS, ACCOUNTS, DYNAMIC)
        .filter(name::startsWith)
        .findFirst()
        .map(home -> (home.equals(DYNAMIC) ? "dynamic." : "") + name.substring(home.length()))
        .orElseThrow();
  }
}
