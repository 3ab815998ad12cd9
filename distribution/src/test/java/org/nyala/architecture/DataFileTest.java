package org.nyala.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.lmdbjava.Env;
import org.nyala.lmdb.env.LmdbEnvironment;

/**
 * Checks that data files are opened in one place, which looks at their end first: LMDB does not,
 * and the process ends when it reads beyond.
 */
class DataFileTest {
  @Test
  void shouldBeOpenedInOnePlace() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(LmdbEnvironment.class)
        .should()
        .callMethodWhere(
            target(name("create")).and(target(owner(JavaClass.Predicates.assignableTo(Env.class)))))
        .because("LmdbEnvironment.openEnv looks at the end of the file first")
        .check(ProductionClasses.SERVER);
  }

  @Test
  void shouldNotNeedTheMountOfAFolder() {
    noClasses()
        .that()
        .doNotHaveSimpleName("StagedDirectory")
        .should()
        .callMethod(Files.class, "getFileStore", Path.class)
        .because("below the root of a chroot no mount is known, and it throws")
        .check(ProductionClasses.SERVER);
  }
}
