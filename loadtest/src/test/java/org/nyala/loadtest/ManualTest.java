package org.nyala.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Whether the manual page says what the program does. With {@code -Dmanual.write=true} the list of
 * options is written anew.
 */
class ManualTest {
  private static final String BEGIN = "// options: begin\n";
  private static final String END = "// options: end\n";

  private static Path manual() {
    Path page = Path.of("src-docs", "loadtest.adoc");
    return Files.exists(page) ? page : Path.of("..").resolve(page);
  }

  /** The options of every command, those that several commands share in one table. */
  private static String options() {
    Map<String, List<String>> byTable = new LinkedHashMap<>();
    Main.commandLine()
        .getSubcommands()
        .forEach(
            (name, command) ->
                byTable.computeIfAbsent(table(command), _ -> new ArrayList<>()).add(name));
    StringBuilder out = new StringBuilder(8192);
    byTable.forEach(
        (table, names) ->
            out.append("\n=== ")
                .append(
                    names.stream()
                        .sorted()
                        .map(name -> "`" + name + "`")
                        .collect(Collectors.joining(", ")))
                .append("\n\n")
                .append(table));
    return out.append('\n').toString();
  }

  private static String table(CommandLine command) {
    StringBuilder out = new StringBuilder(4096);
    out.append("[cols=\"2,1,4\"]\n|===\n|option |default |meaning\n\n");
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (option.usageHelp() || option.versionHelp()) {
        continue;
      }
      out.append("|`").append(String.join("`, `", option.names())).append('`');
      boolean isNamed = !option.paramLabel().startsWith("<");
      if (option.arity().max() > 0 && isNamed) {
        out.append(' ').append(option.paramLabel().replace("|", "\\|"));
      }
      out.append(" |").append(defaultOf(option));
      out.append(" |").append(description(option)).append('\n');
    }
    return out.append("|===\n").toString();
  }

  private static String defaultOf(OptionSpec option) {
    Object value = option.initialValue();
    if (value == null || value instanceof Boolean || value.toString().isEmpty()) {
      return "";
    }
    return value instanceof List<?> list
        ? list.stream()
            .map(Object::toString)
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining(","))
        : value.toString();
  }

  private static String description(OptionSpec option) {
    String text = String.join(" ", option.description());
    Iterable<String> candidates = option.completionCandidates();
    String all = candidates == null ? "" : String.join(", ", candidates);
    return text.replace("${COMPLETION-CANDIDATES}", all).replace("|", "\\|");
  }

  @Test
  void shouldListEveryOption() throws Exception {
    String page = Files.readString(manual());
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    assertThat(end).isGreaterThanOrEqualTo(begin);
    if (Boolean.getBoolean("manual.write")) {
      page = page.substring(0, begin) + options() + page.substring(end);
      Files.writeString(manual(), page);
      end = page.indexOf(END);
    }

    assertThat(page.substring(begin, end))
        .as("options in loadtest.adoc; -Dmanual.write=true writes them anew")
        .isEqualTo(options());
  }

  @Test
  void shouldNameEveryJob() throws Exception {
    String page = Files.readString(manual());

    assertThat(Main.commandLine().getSubcommands().keySet())
        .allSatisfy(job -> assertThat(page).contains("`" + job + "`"));
  }

  @Test
  void shouldExplainEveryKeyOfResults() throws Exception {
    String page = Files.readString(manual());
    JSONObject results = new JSONObject(LoadReports.document());
    Set<String> keys = new TreeSet<>();
    gather(results, keys);
    gather((JSONObject) results.getFieldAsArray("jobs").getFirst(), keys);

    assertThat(keys).allSatisfy(key -> assertThat(page).contains("`" + key + "`"));
  }

  private static void gather(JSONObject object, Set<String> keys) {
    object
        .getFields()
        .forEach(
            (key, value) -> {
              keys.add(key);
              if (value instanceof JSONObject inner
                  && !List.of("errors", "errorsByResultCode", "facts").contains(key)) {
                gather(inner, keys);
              }
            });
  }

  /** A report without anything in it. */
  private static final class LoadReports {
    static String document() {
      LoadSettings settings =
          new LoadSettings(
              JobKind.MODIFY_EACH,
              new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 1),
              1,
              1,
              Extent.of(1, 0),
              People.of(1),
              Account.ANONYMOUS,
              0,
              JobOptions.DEFAULT);
      LoadReport report =
          new LoadReport(settings, 1, 0, 0, 0, Map.of(), new Histogram(3), 0, -1, -1);
      return ResultJson.document(Map.of(), List.of(report)).toString();
    }
  }
}
