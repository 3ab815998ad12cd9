package org.nyala.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.security.MessageDigest;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nyala.core.password.VerificationPermit;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.GuessBudgets;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.log.ManagementLogin;

/** Checks that nothing compares a password with a stored one but through a gate. */
class PasswordGateTest {
  /** The gates: of operations, and of the HTTP and JMX ports. */
  private static final Set<String> GATES =
      Set.of(PasswordAttempt.class.getName(), ManagementLogin.class.getName());

  /** The classes that compare bytes in constant time, and no stored passwords. */
  private static final Set<String> COMPARING_NAMES =
      Set.of(
          "org.nyala.core.directory.PageSeals",
          "org.nyala.management.http.HttpLogin",
          "org.nyala.management.jmxport.JmxLogin");

  private static JavaClasses server;

  @BeforeAll
  static void readClasses() {
    server = ProductionClasses.SERVER;
    assertThat(server).hasSizeGreaterThan(1000);
  }

  private static boolean isPassword(JavaClass of) {
    return of.getPackageName().equals(VerificationPermit.class.getPackageName());
  }

  @Test
  void shouldKnowAllGates() {
    classes()
        .that()
        .areAssignableTo(VerificationPermit.class)
        .should()
        .haveNameMatching(
            String.join("|", GATES) + '|' + VerificationPermit.class.getName().replace(".", "[.]"))
        .check(server);
  }

  /** So that what compares without a gate does not compile outside the package. */
  @Test
  void shouldAskForAPermissionWhereverAPasswordIsCompared() {
    Set<String> open = new TreeSet<>();
    Set<String> guarded = new TreeSet<>();
    for (JavaClass each : server) {
      if (!isPassword(each) || !each.getModifiers().contains(JavaModifier.PUBLIC)) {
        continue;
      }
      for (JavaMethod method : each.getMethods()) {
        boolean isAnswer =
            method.getModifiers().contains(JavaModifier.PUBLIC)
                && method.getRawReturnType().isEquivalentTo(boolean.class)
                && method.getRawParameterTypes().stream()
                    .anyMatch(type -> type.isEquivalentTo(byte[].class));
        if (isAnswer) {
          boolean isGuarded =
              method.getRawParameterTypes().getFirst().isEquivalentTo(VerificationPermit.class);
          (isGuarded ? guarded : open).add(method.getOwner().getSimpleName() + method.getName());
        }
      }
    }
    assertThat(guarded).contains("PasswordHashmatches", "PasswordHashisStored", "ScramKeysisProof");
    // The form of a value, and whether a password that has matched is compared as a whole.
    assertThat(open).containsExactlyInAnyOrder("PasswordHashnamesScheme", "PasswordHashisWhole");
  }

  @Test
  void shouldCompareSecretsWithStoredOnesInOnePackage() {
    Set<String> comparing = new TreeSet<>();
    for (JavaClass each : server) {
      for (JavaMethodCall call : each.getMethodCallsFromSelf()) {
        boolean isComparison =
            call.getTargetOwner().isEquivalentTo(MessageDigest.class)
                && call.getName().equals("isEqual");
        if (isComparison && !isPassword(each)) {
          comparing.add(each.getName());
        }
      }
    }
    assertThat(comparing).isEqualTo(COMPARING_NAMES);
  }

  /** It takes source and log from the operation: nobody leaves one out. */
  @Test
  void shouldOpenTheGateOfOperationsInOnePlace() {
    Set<String> creating = new TreeSet<>();
    Set<String> opening = new TreeSet<>();
    for (JavaClass each : server) {
      each.getConstructorCallsFromSelf().stream()
          .filter(call -> call.getTargetOwner().isEquivalentTo(PasswordAttempt.class))
          .forEach(_ -> creating.add(each.getName()));
      each.getMethodCallsFromSelf().stream()
          .filter(call -> call.getTargetOwner().isEquivalentTo(GuessBudgets.class))
          .filter(call -> call.getName().equals("attempt"))
          .forEach(_ -> opening.add(each.getName()));
    }
    assertThat(creating).containsExactly(GuessBudgets.class.getName());
    assertThat(opening).containsExactly(AccountServices.class.getName());
  }
}
