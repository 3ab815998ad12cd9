package org.nyala.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/**
 * Checks that what shows, tests, orders or follows attributes asks the table, and knows no computed
 * attribute by its name: a list of its own would be incomplete one day.
 */
class AttributeTableTest {
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  /** The table, the classes that compute values, and those that compile tests of them. */
  private static final Set<String> PROVIDERS =
      Set.of(
          "org.nyala.core.provider.AttributeProviders",
          "org.nyala.core.filter.ComputedAssertions",
          "org.nyala.core.provider.ComputedAttribute",
          "org.nyala.core.filter.ComputedNumbers",
          "org.nyala.core.directory.virtual.VirtualAttributes",
          "org.nyala.core.operation.values.ComputedValues");

  /**
   * Classes that give an attribute another meaning: the right to prolong an entry's life, and the
   * form that it has in LDIF.
   */
  private static final Set<String> OTHERS =
      Set.of(
          "org.nyala.dynamic.LifetimeRules",
          "org.nyala.lmdb.ldif.ImportAttribute",
          "org.nyala.lmdb.export.LdifExport");

  /** The places that read words of slapd, configurations, other servers and formats. */
  private static final List<Path> WORDS =
      List.of(
          Path.of("org/nyala/integrity/IntegrityRules.java"),
          Path.of("org/nyala/config/UpdateConfiguration.java"),
          Path.of("org/nyala/migrate"),
          Path.of("org/nyala/replica"),
          Path.of("org/nyala/lmdb/export/LdifExport.java"),
          Path.of("org/nyala/lmdb/format/StoredCsns.java"),
          Path.of("org/nyala/core/policy/PolicyReader.java"));

  @Test
  void shouldNameComputedAttributesInProvidersAlone() {
    JavaClasses server = ProductionClasses.SERVER;
    Set<String> naming = new TreeSet<>();
    for (JavaClass each : server) {
      for (JavaFieldAccess access : each.getFieldAccessesFromSelf()) {
        if (access.getTargetOwner().isEquivalentTo(ComputedAttribute.class)) {
          naming.add(outermost(each));
        }
      }
    }
    Set<String> allowed = new TreeSet<>(PROVIDERS);
    allowed.addAll(OTHERS);
    assertThat(allowed).containsAll(naming);
    assertThat(naming).contains("org.nyala.core.operation.values.ComputedValues");
  }

  private static String outermost(JavaClass of) {
    String name = of.getName();
    int dollar = name.indexOf('$');
    return dollar < 0 ? name : name.substring(0, dollar);
  }

  @Test
  void shouldSpellNamesAndIdentifiersInTheTableAlone() throws IOException {
    Schema schema = SchemaLoader.standard();
    Set<String> identifiers = new TreeSet<>();
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    for (ComputedAttribute each : ComputedAttribute.values()) {
      AttributeType type = each.in(schema);
      assertThat(type).as("%s", each).isNotNull();
      identifiers.add(type.oid());
      names.addAll(type.names());
    }
    Set<String> spelling = new TreeSet<>();
    for (Path module : Modules.SERVER) {
      Path sources = module.resolve("src/main/java");
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          Path relative = sources.relativize(file);
          Matcher literal = LITERAL.matcher(Files.readString(file));
          while (literal.find()) {
            String text = literal.group(1);
            if (identifiers.contains(text)
                || names.contains(text) && WORDS.stream().noneMatch(relative::startsWith)) {
              spelling.add(relative.toString());
            }
          }
        }
      }
    }
    assertThat(spelling).containsExactly("org/nyala/core/provider/ComputedAttribute.java");
  }
}
