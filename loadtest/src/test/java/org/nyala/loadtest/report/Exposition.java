package org.nyala.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A strict reader of Prometheus' text format 0.0.4: each family has its HELP and TYPE once, before
 * its samples, which are together; no sample comes twice; buckets grow and end with the count.
 */
final class Exposition {
  private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
  private static final Pattern TYPE =
      Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)");
  private static final String LABEL = "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\n\"])*\"";
  private static final Pattern SAMPLE =
      Pattern.compile(
          "([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(" + LABEL + "(?:," + LABEL + ")*)})? ([^ ]+)");
  private static final Pattern BOUND = Pattern.compile(",?le=\"([^\"]*)\"");

  private final Map<String, Double> samples = new LinkedHashMap<>();
  private final Map<String, TreeMap<Double, Double>> buckets = new HashMap<>();

  private Exposition() {}

  static Exposition parse(String text) {
    assertThat(text).endsWith("\n").doesNotContain("\r");
    Exposition read = new Exposition();
    Set<String> helped = new HashSet<>();
    Map<String, String> types = new HashMap<>();
    String family = "";
    for (String line : text.substring(0, text.length() - 1).split("\n", -1)) {
      Matcher help = HELP.matcher(line);
      Matcher type = TYPE.matcher(line);
      if (help.matches()) {
        family = help.group(1);
        assertThat(helped.add(family)).as(line).isTrue();
      } else if (type.matches()) {
        assertThat(type.group(1)).as("the type follows the help").isEqualTo(family);
        assertThat(types.put(family, type.group(2))).as(line).isNull();
      } else {
        read.sample(line, family, String.valueOf(types.get(family)));
      }
    }
    read.checkBuckets();
    return read;
  }

  private void sample(String line, String family, String type) {
    Matcher sample = SAMPLE.matcher(line);
    assertThat(sample.matches()).as(line).isTrue();
    String name = sample.group(1);
    String labels = sample.group(2) == null ? "" : sample.group(2);
    double value = Double.parseDouble(sample.group(3));
    if (type.equals("histogram")) {
      assertThat(name).matches(Pattern.quote(family) + "_(bucket|sum|count)");
    } else {
      assertThat(name).isEqualTo(family);
    }
    assertThat(name.endsWith("_total")).as(line).isEqualTo(type.equals("counter"));
    assertThat(samples.put(name + "{" + labels + "}", value)).as("twice: " + line).isNull();
    if (name.endsWith("_bucket")) {
      Matcher bound = BOUND.matcher(labels);
      assertThat(bound.find()).as(line).isTrue();
      String text = bound.group(1);
      double upper = text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
      String series = family + "{" + bound.replaceFirst("") + "}";
      buckets.computeIfAbsent(series, _ -> new TreeMap<>()).put(upper, value);
    }
  }

  private void checkBuckets() {
    buckets.forEach(
        (series, counts) -> {
          double before = 0;
          for (double count : counts.values()) {
            assertThat(count).as(series).isGreaterThanOrEqualTo(before);
            before = count;
          }
          assertThat(counts.lastKey()).isInfinite();
          assertThat(samples.get(series.replaceFirst("\\{", "_count{"))).isEqualTo(before);
          assertThat(samples).containsKey(series.replaceFirst("\\{", "_sum{"));
        });
  }

  /** The value of a sample, with its labels as they are written. */
  double value(String sample) {
    assertThat(samples).containsKey(sample);
    return samples.get(sample);
  }
}
