package org.nyala.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.sasl.KerberosProperties;

/** Checks the dependencies between modules and packages. */
class ArchitectureTest {
  private static final String ROOT = "org.nyala";

  /**
   * The benchmarks in the packages of the code that they measure, in the folder or the jar of the
   * load tester.
   */
  private static final Pattern BENCHMARK =
      Pattern.compile(
          ".*/(loadtest/target/classes|nyala-loadtest[^/]*[.]jar!?)/org/nyala/"
              + "(core|netty|lmdb)/.*");

  private static final String[] SERVER_PROCESS = {
    "org.nyala.cli..",
    "org.nyala.config..",
    "org.nyala.error..",
    "org.nyala.log..",
    "org.nyala.management..",
    "org.nyala.server..",
    "org.nyala.service.."
  };

  private static final String[] ABOVE = {"org.nyala.build..", "org.nyala.launch.."};

  private static final String[] MODULES = {
    "org.nyala.core..", "org.nyala.netty..", "org.nyala.lmdb.."
  };

  /** A package that a package-info names. */
  private static final Pattern IMPORT = Pattern.compile("\\{@code\\s+([a-z.]+)}");

  private static final int MOST_CLASSES = 35;

  /** All classes that are compiled for production, benchmarks included. */
  private static JavaClasses classes;

  /** The same without benchmarks in other packages and without classes that JMH generates. */
  private static JavaClasses written;

  @BeforeAll
  static void importClasses() {
    classes = ProductionClasses.ALL;
    written =
        classes.that(
            DescribedPredicate.describe(
                "are no benchmarks in packages of others", type -> !isLeftOut(type)));
    assertThat(classes.contain("org.nyala.core.DirectoryServer")).isTrue();
    assertThat(classes.contain("org.nyala.netty.NettyLdapServer")).isTrue();
    assertThat(classes.contain("org.nyala.lmdb.LmdbBackend")).isTrue();
    assertThat(classes.contain("org.nyala.loadtest.cli.Main")).isTrue();
    assertThat(classes.contain("org.nyala.cli.Main")).isTrue();
    assertThat(classes.contain("org.nyala.core.Patience")).isFalse();
    assertThat(written.size()).isLessThan(classes.size());
  }

  private static boolean isLeftOut(JavaClass type) {
    return type.getPackageName().contains("jmh_generated")
        || BENCHMARK.matcher(type.getSource().orElseThrow().getUri().toString()).matches();
  }

  private static String[] all(String[]... packages) {
    return Stream.of(packages).flatMap(Stream::of).toArray(String[]::new);
  }

  /** Returns the rule that no package depends, even indirectly, on one that depends on it. */
  private static ArchRule freeOfCircles() {
    return slices().matching("org.nyala.(**)").should().beFreeOfCycles();
  }

  /** Returns the rule that only its own module uses a package. */
  private static ArchRule usedInModuleOnly(String internal, String module) {
    return noClasses()
        .that()
        .resideOutsideOfPackage(module + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(internal + "..");
  }

  @Test
  void shouldHaveNoCirclesBetweenPackages() {
    freeOfCircles().check(written);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.nyala.core.operation.dereference",
        "org.nyala.core.operation.extended",
        "org.nyala.core.operation.list",
        "org.nyala.core.operation.search",
        "org.nyala.core.operation.update",
        "org.nyala.core.operation.values",
        "org.nyala.core.rules",
        "org.nyala.core.schema.rule",
        "org.nyala.lmdb.posting",
        "org.nyala.lmdb.search",
        "org.nyala.lmdb.write",
        "org.nyala.netty.codec"
      })
  void shouldUsePackagesThatAreInternalToAModuleThereOnly(String internal) {
    assertThat(classes.containPackage(internal)).isTrue();
    String module = internal.substring(0, internal.indexOf('.', ROOT.length() + 1));
    usedInModuleOnly(internal, module).check(classes);
  }

  @Test
  void shouldFindACircleAndAForeignUse() {
    JavaClasses fixture = new ClassFileImporter().importPackages("org.nyala.circle");
    assertThatThrownBy(() -> freeOfCircles().check(fixture))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("First")
        .hasMessageContaining("Second");
    assertThatThrownBy(
            () -> usedInModuleOnly("org.nyala.circle.one", "org.nyala.circle.one").check(fixture))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Second");
  }

  @Test
  void shouldKeepTheServerFreeOfTheLoadTester() {
    noClasses()
        .that()
        .resideInAnyPackage(all(MODULES, SERVER_PROCESS))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.nyala.loadtest..")
        .check(written);
    // The manual contains the load tester's commands.
    noClasses()
        .that()
        .resideInAnyPackage(ABOVE)
        .should()
        .dependOnClassesThat(
            resideInAPackage("org.nyala.loadtest..")
                .and(resideOutsideOfPackage("org.nyala.loadtest.cli")))
        .check(written);
  }

  @Test
  void shouldKeepTheLoadTesterFreeOfTheServer() {
    noClasses()
        .that()
        .resideInAPackage("org.nyala.loadtest..")
        .and()
        .resideOutsideOfPackages("org.nyala.loadtest.jmh..", "org.nyala.loadtest.caching..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(all(MODULES, SERVER_PROCESS, ABOVE))
        .check(classes);
  }

  @Test
  void shouldKeepTheDirectoryFreeOfWireStoreAndConfiguration() {
    noClasses()
        .that()
        .resideInAPackage("org.nyala.core..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            all(
                new String[] {
                  "io.netty..",
                  "org.lmdbjava..",
                  "org.apache.mina..",
                  "org.apache.directory.api.ldap.codec..",
                  "org.apache.directory.api.asn1..",
                  "com.google.gson..",
                  "com.typesafe..",
                  "picocli..",
                  "org.nyala.netty..",
                  "org.nyala.lmdb..",
                  "org.nyala.loadtest.."
                },
                SERVER_PROCESS,
                ABOVE))
        .check(classes);
  }

  @Test
  void shouldKeepWireAndStoreApart() {
    noClasses()
        .that()
        .resideInAPackage("org.nyala.netty..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            all(new String[] {"org.lmdbjava..", "org.nyala.lmdb.."}, SERVER_PROCESS, ABOVE))
        .check(classes);
    noClasses()
        .that()
        .resideInAPackage("org.nyala.lmdb..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            all(new String[] {"io.netty..", "org.nyala.netty.."}, SERVER_PROCESS, ABOVE))
        .check(classes);
  }

  @Test
  void shouldLetNobodyDependOnTheCommandLineButTheBuildAndTheStart() {
    noClasses()
        .that()
        .resideOutsideOfPackages(all(new String[] {"org.nyala.cli.."}, ABOVE))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(all(new String[] {"org.nyala.cli.."}, ABOVE))
        .check(classes);
  }

  @Test
  void shouldReadSystemPropertiesAndEnvironmentOnlyWhereProgramsStart() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "org.nyala.cli..",
            "org.nyala.error",
            "org.nyala.server",
            "org.nyala.service",
            "org.nyala.loadtest..")
        .and()
        // The JDK's Kerberos takes its configuration from properties alone.
        .doNotBelongToAnyOf(KerberosProperties.class)
        .should()
        .callMethodWhere(
            call(System.class, "getProperty|getProperties|getenv|setProperty|clearProperty"))
        .orShould()
        .callMethodWhere(call(Integer.class, "getInteger"))
        .orShould()
        .callMethodWhere(call(Long.class, "getLong"))
        .orShould()
        .callMethodWhere(call(Boolean.class, "getBoolean"))
        .check(classes);
  }

  @Test
  void shouldTakeTheTimeFromAClockThatIsHandedIn() {
    noClasses()
        .that()
        .resideInAPackage("org.nyala.core..")
        .and()
        .resideOutsideOfPackage("..jmh_generated..")
        .should()
        .callMethodWhere(call(System.class, "nanoTime|currentTimeMillis"))
        .check(classes);
  }

  @Test
  void shouldNeverSleep() {
    noClasses().should().callMethodWhere(call(Thread.class, "sleep")).check(classes);
  }

  @Test
  void shouldOpenLmdbInOnePlace() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("org.nyala.lmdb.env.LmdbEnvironment")
        .should()
        .callMethodWhere(
            target(owner(name("org.lmdbjava.Env")))
                .and(target(name("create")))
                .as("Env.create is called"))
        .check(classes);
  }

  @Test
  void shouldMarkEveryPackageAsFreeOfNulls() {
    Set<String> unmarked = new TreeSet<>();
    for (JavaClass type : classes) {
      JavaPackage home = type.getPackage();
      // Classes written by the annotation processor of JMH are not ours.
      if (!home.getName().contains("jmh_generated") && !home.isAnnotatedWith(NullMarked.class)) {
        unmarked.add(home.getName());
      }
    }
    assertThat(unmarked).isEmpty();
  }

  @Test
  void shouldKeepPackagesSmallAndSayWhatTheyAreFor() throws IOException {
    Map<String, Set<String>> packages = new TreeMap<>();
    for (JavaClass type : written) {
      Set<String> types = packages.computeIfAbsent(type.getPackageName(), _ -> new TreeSet<>());
      if (type.isTopLevelClass() && !type.getSimpleName().equals("package-info")) {
        types.add(type.getSimpleName());
      }
    }
    Set<String> described = described();
    packages.forEach((name, types) -> assertThat(types).as(name).hasSizeBetween(1, MOST_CLASSES));
    assertThat(described).containsAll(packages.keySet());
  }

  /** Returns the packages with a Javadoc, in the sources of all modules. */
  private static Set<String> described() throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path module : Modules.ALL) {
      Path sources = module.resolve("src/main/java");
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(path -> path.endsWith("package-info.java")).toList()) {
          if (Files.readString(file).contains("/**")) {
            names.add(sources.relativize(file).getParent().toString().replace('/', '.'));
          }
        }
      }
    }
    return names;
  }

  private static DescribedPredicate<JavaCall<?>> call(Class<?> type, String methods) {
    return target(owner(name(type.getName())))
        .and(target(nameMatching(methods)))
        .as(type.getSimpleName() + "." + methods + " is called");
  }

  @Test
  void shouldImportOnlyWhatPackageInfosName() throws IOException {
    Map<String, Set<String>> named = namedImports();
    Set<String> unnamed = new TreeSet<>();
    for (JavaClass type : written) {
      String from = type.getPackageName();
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
        boolean isOther = to.startsWith(ROOT + '.') && !to.equals(from);
        if (isOther && !named.getOrDefault(from, Set.of()).contains(to)) {
          unnamed.add(from + " imports " + to);
        }
      }
    }
    assertThat(unnamed).isEmpty();
  }

  /** Returns the imported packages that each package-info names. */
  private static Map<String, Set<String>> namedImports() throws IOException {
    Map<String, Set<String>> named = new TreeMap<>();
    for (Path folder : Modules.ALL) {
      Path sources = folder.resolve("src/main/java");
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(path -> path.endsWith("package-info.java")).toList()) {
          String from = sources.relativize(file.getParent()).toString().replace('/', '.');
          String text = Files.readString(file).replaceAll("\\s+[*] ", " ");
          Set<String> packages = named.computeIfAbsent(from, _ -> new TreeSet<>());
          Matcher imports = IMPORT.matcher(text.substring(Math.max(0, text.indexOf("<p>Imports"))));
          while (imports.find()) {
            packages.add(ROOT + '.' + imports.group(1));
          }
        }
      }
    }
    return named;
  }
}
