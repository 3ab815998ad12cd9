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
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nyala.core.sasl.KerberosProperties;

/** Checks the dependencies between modules and packages. */
class ArchitectureTest {
  /**
   * The benchmarks in the packages of the code that they measure, in the folder or the jar of the
   * load tester.
   */
  private static final Pattern BENCHMARK =
      Pattern.compile(
          ".*/(loadtest/target/classes|nyala-loadtest[^/]*[.]jar!?)/org/nyala/"
              + "(core|netty|lmdb)/.*");

  private static final String LOAD_TESTER = "org.nyala.loadtest..";

  /** The packages that put programs together, the load tester's and the server's. */
  private static final String[] ABOVE = {"org.nyala.build..", "org.nyala.launch.."};

  private static final int MOST_CLASSES = 35;

  /** The name of a thread, or the part before its number, where one is made. */
  private static final Pattern THREAD_NAME =
      Pattern.compile(
          "(?:[nN]ame|Named|Factory|threads|Thread)\\((?:[^\"()]*, )?\"([a-z-]*[a-z])-?\"");

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

  /** Returns the rule that no package depends, even indirectly, on one that depends on it. */
  private static ArchRule freeOfCircles() {
    return slices().matching("org.nyala.(**)").should().beFreeOfCycles();
  }

  /** Returns the rule that a package is used only by the module that it is in. */
  private static ArchRule usedInModuleOnly(String internal, List<String> module) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(module.toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(internal);
  }

  @Test
  void shouldHaveNoCirclesBetweenPackages() {
    freeOfCircles().check(written);
  }

  @Test
  void shouldUsePackagesThatAreInternalToAModuleThereOnly() throws IOException {
    Set<String> internal = new TreeSet<>();
    Set<String> all = new TreeSet<>();
    for (Path module : Modules.ALL) {
      List<PackageInfo> packages = PackageInfo.of(module);
      List<String> names = packages.stream().map(PackageInfo::name).toList();
      all.addAll(names);
      for (PackageInfo each : packages) {
        if (each.isInternal()) {
          internal.add(each.name());
          usedInModuleOnly(each.name(), names).check(written);
        }
      }
    }
    assertThat(internal).contains("org.nyala.core.yescrypt", "org.nyala.netty.codec");
    // Extensions use parts of the operations of the directory; the program creates extensions.
    assertThat(all)
        .filteredOn(name -> name.startsWith("org.nyala.core.operation."))
        .filteredOn(
            name -> !name.matches(".*\\.(search|store|values|update|extended|sync|dereference)"))
        .isSubsetOf(internal);
  }

  @Test
  void shouldFindACircleAndAForeignUse() {
    JavaClasses fixture = new ClassFileImporter().importPackages("org.nyala.circle");
    assertThatThrownBy(() -> freeOfCircles().check(fixture))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("First")
        .hasMessageContaining("Second");
    assertThatThrownBy(
            () ->
                usedInModuleOnly("org.nyala.circle.one", List.of("org.nyala.circle.one"))
                    .check(fixture))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Second");
  }

  @Test
  void shouldKeepTheServerFreeOfTheLoadTester() {
    noClasses()
        .that()
        .resideOutsideOfPackages(LOAD_TESTER, ABOVE[0], ABOVE[1])
        .should()
        .dependOnClassesThat()
        .resideInAPackage(LOAD_TESTER)
        .check(written);
    // The manual contains the load tester's commands.
    noClasses()
        .that()
        .resideInAnyPackage(ABOVE)
        .should()
        .dependOnClassesThat(
            resideInAPackage(LOAD_TESTER).and(resideOutsideOfPackage("org.nyala.loadtest.cli")))
        .check(written);
  }

  @Test
  void shouldKeepTheLoadTesterFreeOfTheServer() {
    noClasses()
        .that()
        .resideInAPackage(LOAD_TESTER)
        .and()
        .resideOutsideOfPackages("org.nyala.loadtest.jmh..", "org.nyala.loadtest.caching..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("org.nyala..").and(resideOutsideOfPackage(LOAD_TESTER)))
        .check(classes);
  }

  /** Checks what one library holds both of; builds of modules refuse all other dependencies. */
  @Test
  void shouldDecodeMessagesByItselfOnly() {
    noClasses()
        .that()
        .resideInAPackage("org.nyala.core..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.directory.api.ldap.codec..", "org.apache.directory.api.asn1..")
        .check(classes);
  }

  @Test
  void shouldLetNobodyDependOnTheCommandLineButTheBuildAndTheStart() {
    noClasses()
        .that()
        .resideOutsideOfPackages("org.nyala.cli..", ABOVE[0], ABOVE[1])
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.nyala.cli..", ABOVE[0], ABOVE[1])
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

  /** Names of that kind belong to classes of JUnit. */
  @Test
  void shouldNameNoClassLikeATest() {
    noClasses().should().haveSimpleNameEndingWith("Test").check(written);
    noClasses().should().haveSimpleNameEndingWith("Tests").check(written);
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
    packages.forEach((name, types) -> assertThat(types).as(name).hasSizeBetween(1, MOST_CLASSES));
    Set<String> described = new TreeSet<>();
    for (Path module : Modules.ALL) {
      for (PackageInfo each : PackageInfo.of(module)) {
        assertThat(each.purpose()).as("the first sentence of %s", each.name()).isNotEmpty();
        assertThat(each.face()).as("the public face of %s", each.name()).isNotEmpty();
        described.add(each.name());
      }
    }
    assertThat(described).isEqualTo(packages.keySet());
  }

  @Test
  void shouldHaveThePackagesInTheDescriptionOfTheArchitecture() throws IOException {
    String renewed = ArchitecturePage.renewed();
    assertThat(renewed).contains("| `core.dn` | `DnParser`, `Dn` | Distinguished names");
    assertThat(ArchitecturePage.written()).as(ArchitecturePage.RENEWAL).isEqualTo(renewed);
  }

  @Test
  void shouldNameWhatExistsInTheDescriptionOfTheArchitecture() throws IOException {
    Set<String> sources = new TreeSet<>();
    for (Path module : Modules.ALL) {
      try (Stream<Path> files = Files.walk(module.resolve("src"))) {
        files.map(file -> file.getFileName().toString()).forEach(sources::add);
      }
    }
    assertThat(sources).contains("Session.java");
    assertThat(ArchitecturePage.types())
        .hasSizeGreaterThan(200)
        .allMatch(type -> sources.contains(type + ".java"));
    assertThat(ArchitecturePage.places())
        .hasSizeGreaterThan(20)
        .allMatch(file -> Files.exists(Path.of("..", file)));
  }

  @Test
  void shouldHaveTheThreadsInTheDescriptionOfTheArchitecture() throws IOException {
    Map<String, Set<String>> named = ArchitecturePage.threads();
    Map<String, Set<String>> made = new TreeMap<>();
    for (JavaClass type : ProductionClasses.SERVER) {
      if (type.getCodeUnitAccessesFromSelf().stream().anyMatch(ArchitectureTest::makesThreads)) {
        String source = Modules.source(type);
        String owner = type.getSource().flatMap(Source::getFileName).orElseThrow();
        made.computeIfAbsent(owner.replace(".java", ""), _ -> new TreeSet<>())
            .addAll(THREAD_NAME.matcher(source).results().map(name -> name.group(1)).toList());
      }
    }
    assertThat(named).isEqualTo(made);
  }

  private static boolean makesThreads(JavaCodeUnitAccess<?> call) {
    String owner = call.getTargetOwner().getName();
    String method = call.getName();
    boolean isConstructor = method.equals("<init>");
    return owner.equals("java.lang.Thread")
            && (isConstructor || method.equals("ofPlatform") || method.equals("ofVirtual"))
        || owner.equals("io.netty.util.concurrent.DefaultThreadFactory") && isConstructor;
  }

  private static DescribedPredicate<JavaCall<?>> call(Class<?> type, String methods) {
    return target(owner(name(type.getName())))
        .and(target(nameMatching(methods)))
        .as(type.getSimpleName() + "." + methods + " is called");
  }
}
