package org.nyala.cli;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What may know what: the arrows of the design, kept by a test. */
class ArchitectureTest {
  /** The fixtures of server-core come as a jar, or as a folder where nothing is packaged. */
  private static final ImportOption NO_TEST_JARS = location -> !location.contains("-tests.jar");

  private static JavaClasses classes;

  @BeforeAll
  static void importClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(NO_TEST_JARS)
            .importPackages("org.nyala");
    assertThat(classes.contain("org.nyala.core.DirectoryServer")).isTrue();
    assertThat(classes.contain("org.nyala.netty.NettyLdapServer")).isTrue();
    assertThat(classes.contain("org.nyala.lmdb.LmdbBackend")).isTrue();
    assertThat(classes.contain("org.nyala.loadtest.cli.Main")).isTrue();
    assertThat(classes.contain("org.nyala.cli.Main")).isTrue();
    assertThat(classes.contain("org.nyala.core.Patience")).isFalse();
  }

  @Test
  void shouldKeepTheDirectoryFreeOfWireStoreAndConfiguration() {
    noClasses()
        .that()
        .resideInAPackage("org.nyala.core..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.netty..",
            "org.lmdbjava..",
            "org.apache.mina..",
            "org.apache.directory.api.ldap.codec..",
            "org.apache.directory.api.asn1..",
            "com.typesafe..",
            "picocli..",
            "org.nyala.netty..",
            "org.nyala.lmdb..",
            "org.nyala.loadtest..",
            "org.nyala.cli..")
        .check(classes);
  }

  @Test
  void shouldKeepWireAndStoreApart() {
    noClasses()
        .that()
        .resideInAPackage("org.nyala.netty..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.lmdbjava..", "org.nyala.lmdb..", "org.nyala.cli..")
        .check(classes);
    noClasses()
        .that()
        .resideInAPackage("org.nyala.lmdb..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty..", "org.nyala.netty..", "org.nyala.cli..")
        .check(classes);
  }

  @Test
  void shouldLetNobodyDependOnTheCommandLine() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.nyala.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.nyala.cli..")
        .check(classes);
  }

  @Test
  void shouldHaveNoCyclesBetweenModules() {
    slices().matching("org.nyala.(*)..").should().beFreeOfCycles().check(classes);
  }

  @Test
  void shouldReadSystemPropertiesAndEnvironmentOnlyWhereProgramsStart() {
    noClasses()
        .that()
        .resideOutsideOfPackages("org.nyala.cli..", "org.nyala.loadtest..")
        .should()
        .callMethodWhere(call(System.class, "getProperty|getProperties|getenv|setProperty"))
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
      // What the annotation processor of JMH writes is not ours.
      if (!home.getName().contains("jmh_generated") && !home.isAnnotatedWith(NullMarked.class)) {
        unmarked.add(home.getName());
      }
    }
    assertThat(unmarked).isEmpty();
  }

  private static DescribedPredicate<JavaCall<?>> call(Class<?> type, String methods) {
    return target(owner(name(type.getName())))
        .and(target(nameMatching(methods)))
        .as(type.getSimpleName() + "." + methods + " is called");
  }
}
