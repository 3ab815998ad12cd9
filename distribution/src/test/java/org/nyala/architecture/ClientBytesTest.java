package org.nyala.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
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
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.ElementBudget;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;

/**
 * Checks that bytes of clients are read within the budget of their request: readers of them are
 * made where the budget is, and lists of what they hold are read by {@link BerReader#list} alone.
 */
class ClientBytesTest {
  /** The classes that read bytes within no budget, with the reason. */
  private static final Map<String, String> TRUSTING =
      Map.of(
          "org.nyala.core.operation.values.MatchedValues", "attributes that the server has encoded",
          "org.nyala.core.operation.dereference.NamingValues", "the same",
          "org.nyala.core.schema.rule.CertificateNormalizer", "a fixed number of elements",
          "org.nyala.netty.tls.TlsCertificate$PrivateKeys", "the key of the server",
          "org.nyala.cli.TlsCommand$TlsProbe", "the answer of the own server",
          "org.nyala.build.TrainingClient", "the same",
          "org.nyala.cluster.forward.RequestForm", "elements that are counted, and none is kept");

  /** The classes that begin a budget: those of messages, and of what carries a value. */
  private static final Set<String> BUDGETING =
      Set.of(
          "org.nyala.core.ber.ElementBudget",
          "org.nyala.core.message.Request$Extended",
          "org.nyala.core.message.RequestControl",
          "org.nyala.netty.codec.Envelope",
          // Messages between members, whose memory is charged by a count of their elements before.
          "org.nyala.cluster.forward.Forwarded",
          "org.nyala.cluster.forward.ForwardedAnswer",
          "org.nyala.cluster.forward.ForwardedSession",
          "org.nyala.cluster.forward.RequestForm");

  private static final Pattern LOOP = Pattern.compile("\\b(?:while|for|do)\\b\\s*[({]");

  private static final Pattern LOOK = Pattern.compile("[.](?:hasNext|nextTag|position)\\(\\)");

  /** Whatever keeps an element, or makes an object of it. */
  private static final Pattern BUILD =
      Pattern.compile(
          "[.](?:add|addAll|addFirst|addLast|append|push|put|putIfAbsent|offer|merge|accept|"
              + "octets|text|element|sequence|content)\\(|\\bnew\\b|\\+=\\s*\"");

  private static JavaClasses classes;

  @BeforeAll
  static void importClasses() {
    classes = ProductionClasses.ALL;
    assertThat(classes.contain("org.nyala.core.ber.BerReader")).isTrue();
    assertThat(classes.contain("org.nyala.netty.codec.Envelope")).isTrue();
  }

  private static DescribedPredicate<JavaClass> outside(Set<String> allowed) {
    return DescribedPredicate.describe(
        "are outside of " + allowed, type -> !allowed.contains(type.getName()));
  }

  private static ArchRule noReadersWithoutBudget() {
    return noClasses()
        .that(outside(TRUSTING.keySet()))
        .should()
        .callMethodWhere(
            target(
                    owner(
                        DescribedPredicate.<JavaClass>describe(
                            "BerReader", ClientBytesTest::isReader)))
                .and(target(name("trusted"))));
  }

  private static boolean isReader(JavaClass type) {
    return type.isEquivalentTo(BerReader.class);
  }

  private static ArchRule noBudgetsOfTheirOwn() {
    return noClasses()
        .that(outside(BUDGETING))
        .should()
        .callCodeUnitWhere(
            DescribedPredicate.describe("begins a budget", ClientBytesTest::beginsBudget));
  }

  private static boolean beginsBudget(JavaCall<?> call) {
    JavaClass owner = call.getTargetOwner();
    boolean isConstructor = call.getTarget().getName().equals("<init>");
    int parameters = call.getTarget().getRawParameterTypes().size();
    return owner.isEquivalentTo(ElementBudget.class)
            && (isConstructor || call.getTarget().getName().equals("of"))
        || owner.isEquivalentTo(RequestControl.class) && isConstructor && parameters == 3
        || owner.isEquivalentTo(Request.Extended.class) && isConstructor && parameters == 4;
  }

  @Test
  void shouldMakeReadersOfClientBytesWithTheirBudgetOnly() {
    noReadersWithoutBudget().check(classes);
    noBudgetsOfTheirOwn().check(classes);
  }

  @Test
  void shouldHaveNoAllowanceThatIsNotUsed() {
    for (String trusting : TRUSTING.keySet()) {
      JavaClasses one = new ClassFileImporter().importClasses(loaded(trusting));
      assertThat(noClassesCallTrusted(one)).as(trusting).isFalse();
    }
  }

  private static boolean noClassesCallTrusted(JavaClasses some) {
    return some.stream()
        .flatMap(type -> type.getMethodCallsFromSelf().stream())
        .noneMatch(call -> isReader(call.getTargetOwner()) && call.getName().equals("trusted"));
  }

  private static Class<?> loaded(String name) {
    try {
      return Class.forName(name, false, ClientBytesTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError("there is no " + name, e);
    }
  }

  /** A reader as there must be none. */
  static final class Careless {
    static int read(byte[] value) {
      return BerReader.trusted(value).position();
    }

    static ElementBudget budget() {
      return new ElementBudget(Integer.MAX_VALUE);
    }

    static RequestControl control(byte[] value) {
      return new RequestControl("1.2", true, value);
    }
  }

  @Test
  void shouldFindReadersWithoutBudget() {
    JavaClasses careless = new ClassFileImporter().importClasses(Careless.class);

    assertThatThrownBy(() -> noReadersWithoutBudget().check(careless))
        .hasMessageContaining("trusted");
    assertThatThrownBy(() -> noBudgetsOfTheirOwn().check(careless))
        .hasMessageContaining("budget()")
        .hasMessageContaining("control(");
  }

  @Test
  void shouldReadListsByTheBoundedReaderOnly() throws IOException {
    List<String> loops = new ArrayList<>();
    int readers = 0;
    for (Path module : Modules.ALL) {
      try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          String source = Files.readString(file);
          if (source.contains("BerReader") && !file.endsWith("BerReader.java")) {
            readers++;
            buildingLoops(source).forEach(loop -> loops.add(file.getFileName() + ": " + loop));
          }
        }
      }
    }
    assertThat(readers).isGreaterThan(20);
    assertThat(loops).isEmpty();
  }

  /** Returns the loops in a source that look for a next element and build something of it. */
  private static List<String> buildingLoops(String source) {
    List<String> found = new ArrayList<>();
    Matcher loops = LOOP.matcher(source);
    while (loops.find()) {
      String loop = source.substring(loops.start(), end(source, loops.end() - 1));
      if (LOOK.matcher(loop).find() && BUILD.matcher(loop).find()) {
        found.add(loop);
      }
    }
    return found;
  }

  /** Returns the end of a loop, of which an opening bracket is given: of its body, or of a do. */
  private static int end(String source, int opening) {
    int after = closing(source, opening);
    int next = after;
    while (next < source.length() && Character.isWhitespace(source.charAt(next))) {
      next++;
    }
    if (source.charAt(opening) == '(') {
      return next < source.length() && source.charAt(next) == '{'
          ? closing(source, next)
          : source.indexOf(';', after) + 1;
    }
    return source.indexOf(';', after) + 1;
  }

  private static int closing(String source, int opening) {
    int depth = 0;
    for (int i = opening; i < source.length(); i++) {
      char each = source.charAt(i);
      depth += each == '(' || each == '{' ? 1 : each == ')' || each == '}' ? -1 : 0;
      if (depth == 0) {
        return i + 1;
      }
    }
    return source.length();
  }

  @Test
  void shouldFindLoopsThatBuild() {
    assertThat(buildingLoops("while (in.hasNext()) { names.add(in.text()); }")).hasSize(1);
    assertThat(buildingLoops("while (in.nextTag() == ANY)\n  any.append(in.octets(ANY));"))
        .hasSize(1);
    assertThat(buildingLoops("for (; in.hasNext(); ) { if (x) { y(new Key(in)); } }")).hasSize(1);
    assertThat(buildingLoops("do { names.add(in.text()); } while (in.hasNext());")).hasSize(1);
    assertThat(
            buildingLoops("while (true) { if (!in.hasNext()) { break; } all.put(in.text(), 1); }"))
        .hasSize(1);
    assertThat(buildingLoops("while (in.hasNext()) { in.skip(SET); values++; }")).isEmpty();
    assertThat(
            buildingLoops(
                "for (String name : in.list(9, \"names\", BerReader::text)) { a.add(name); }"))
        .isEmpty();
  }
}
