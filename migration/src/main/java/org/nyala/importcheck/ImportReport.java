package org.nyala.importcheck;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.nyala.core.password.PasswordScheme;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.ldif.ImportResult;

/**
 * The report about imported data, or data that would be imported.
 *
 * <p>Immutable.
 *
 * @param mistakes mistakes of the configuration by which no server would start, a line each
 * @param result the result of the import, or of one that was tried out
 * @param findings what else is wrong with the data
 * @param passwords the number of stored passwords by their scheme, of those that are known
 */
public record ImportReport(
    List<String> mistakes,
    ImportResult result,
    List<Finding> findings,
    Map<PasswordScheme, Long> passwords) {
  public ImportReport {
    mistakes = List.copyOf(mistakes);
    findings = List.copyOf(findings);
    passwords = Collections.unmodifiableMap(new EnumMap<>(passwords));
  }

  /** Returns whether no entry was rejected. */
  public boolean isComplete() {
    return result.entriesRejected() == 0;
  }

  /** Returns whether a server would start on the data with this configuration. */
  public boolean isServable() {
    return mistakes.isEmpty()
        && findings.stream().noneMatch(each -> each.kind() == Finding.Kind.MISSING_INDEX);
  }

  /**
   * Returns the lines about everything except the first rejections themselves; none if all is well.
   */
  public List<String> problems() {
    List<String> lines = new ArrayList<>();
    mistakes.forEach(mistake -> lines.add("mistake: " + mistake));
    if (result.entriesRejected() > 1) {
      lines.add("rejected by cause:");
      result.rejectionCauses().forEach(cause -> lines.add("  " + cause));
    }
    result.warnings().forEach(warning -> lines.add("warning: " + warning));
    findings.forEach(finding -> lines.add("warning: " + finding.line()));
    return lines;
  }

  /** Returns the whole report as lines for a terminal, the summary last. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>(result.firstRejections());
    lines.addAll(problems());
    lines.add(
        String.format(
            Locale.ROOT,
            "%d entries: %d would be imported, %d rejected; suffix %s",
            result.entriesRead(),
            result.entriesImported(),
            result.entriesRejected(),
            ErrorMessages.printable(String.join(" and ", result.suffixes()))));
    return lines;
  }

  public String json() {
    JsonObject json = new JsonObject();
    json.addProperty("entriesRead", result.entriesRead());
    json.addProperty("entriesImported", result.entriesImported());
    json.addProperty("entriesRejected", result.entriesRejected());
    json.add("suffixes", array(result.suffixes(), suffix -> suffix));
    json.add("mistakes", array(mistakes, mistake -> mistake));
    json.add("firstRejections", array(result.firstRejections(), line -> line));
    json.add("rejectionCauses", array(result.rejectionCauses(), line -> line));
    json.add("warnings", array(result.warnings(), line -> line));
    JsonArray all = new JsonArray();
    findings.forEach(finding -> all.add(json(finding)));
    json.add("findings", all);
    JsonObject schemes = new JsonObject();
    passwords.forEach((scheme, number) -> schemes.addProperty(scheme.label(), number));
    json.add("passwords", schemes);
    return json.toString();
  }

  private static JsonObject json(Finding finding) {
    JsonObject json = new JsonObject();
    json.addProperty("kind", finding.kind().name().toLowerCase(Locale.ROOT));
    json.addProperty("subject", finding.subject());
    json.addProperty("count", finding.count());
    json.add("first", array(finding.first(), line -> line));
    json.addProperty("text", finding.line());
    return json;
  }

  private static <T> JsonArray array(List<T> all, Function<T, String> text) {
    JsonArray array = new JsonArray();
    all.forEach(each -> array.add(text.apply(each)));
    return array;
  }
}
