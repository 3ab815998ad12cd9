package org.nyala.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass.Predicates;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.config.NyalaConfig;
import org.nyala.server.ConfigurationCheck;
import org.nyala.service.DataMarker;
import org.nyala.service.WritableDataCheck;

/**
 * Checks that a start refuses data directories in one place, which the check of configurations uses
 * as well: otherwise it finds sound with what no server starts.
 */
class StartConditionsTest {
  @Test
  void shouldBeOfStartsAndChecksAlike() {
    Map.of(
            "requireServable", NyalaConfig.class,
            "requireNone", DataMarker.class,
            "require", WritableDataCheck.class)
        .forEach(
            (method, type) ->
                noClasses()
                    .that()
                    .doNotBelongToAnyOf(ConfigurationCheck.class)
                    .should()
                    .callMethodWhere(
                        target(name(method)).and(target(owner(Predicates.equivalentTo(type)))))
                    .because("ConfigurationCheck.requireStartable does, for starts and checks")
                    .check(ProductionClasses.SERVER));
  }
}
