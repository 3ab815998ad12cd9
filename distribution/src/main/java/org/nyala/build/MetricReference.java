package org.nyala.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.core.metrics.Phase;
import org.nyala.management.Counter;
import org.nyala.management.CountersFile;
import org.nyala.management.ServerMeters;

/**
 * Every metric of a server in AsciiDoc, from what it shows to Prometheus, and the numbers of the
 * counters file. Confined to one thread.
 */
final class MetricReference {
  private static final Pattern META = Pattern.compile("# (HELP|TYPE) (\\S+) (.*)");
  private static final Pattern SAMPLE = Pattern.compile("(\\w+)\\{([^}]*)\\} .*");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"[^\"]*\"");

  /** A metric and its samples. */
  private static final class Metric {
    private String help = "";
    private String type = "";
    private final TreeSet<String> labels = new TreeSet<>();
  }

  private final Map<String, Metric> metrics = new TreeMap<>();

  private MetricReference() {}

  /**
   * Writes the reference.
   *
   * @param exposition the answer to Prometheus, in its text format
   */
  static String of(List<String> exposition) {
    MetricReference reference = new MetricReference();
    // Phases that no request went through are not shown.
    for (Phase phase : Phase.values()) {
      Metric metric = new Metric();
      metric.help = ServerMeters.help(phase);
      metric.type = "histogram";
      metric.labels.add("operation");
      reference.metrics.put(ServerMeters.name(phase), metric);
    }
    exposition.forEach(reference::read);
    return reference.table();
  }

  /** Writes the table of the numbers in the counters file. */
  static String counters() {
    StringBuilder text = new StringBuilder("[cols=\"1,3,6\",options=header]\n|===\n");
    text.append("|Offset |Name in ``--json`` |What\n\n");
    for (Counter counter : Counter.values()) {
      String words = counter.description();
      text.append('|').append(CountersFile.offset(counter));
      text.append(" |").append(AdocText.code(counter.label())).append(" |");
      text.append(
          AdocText.prose(Character.toUpperCase(words.charAt(0)) + words.substring(1) + "."));
      text.append('\n');
    }
    return text.append("|===\n").toString();
  }

  private void read(String line) {
    Matcher meta = META.matcher(line);
    Matcher sample = SAMPLE.matcher(line);
    if (meta.matches()) {
      Metric metric = metrics.computeIfAbsent(meta.group(2), _ -> new Metric());
      if (meta.group(1).equals("HELP")) {
        metric.help = meta.group(3);
      } else {
        metric.type = meta.group(3);
      }
    } else if (sample.matches()) {
      Metric metric = metrics.get(sample.group(1).replaceAll("_(bucket|sum|count)$", ""));
      Matcher label = LABEL.matcher(sample.group(2));
      while (metric != null && label.find()) {
        if (!label.group(1).equals("le")) {
          metric.labels.add(label.group(1));
        }
      }
    }
  }

  private String table() {
    StringBuilder text = new StringBuilder("[cols=\"6,2,3,7\",options=header]\n|===\n");
    text.append("|Metric |Kind |Labels |What\n\n");
    metrics.forEach(
        (name, metric) -> {
          text.append("|[[metric-").append(name).append("]]").append(AdocText.code(name));
          text.append(" |").append(metric.type).append(" |").append(labels(metric));
          text.append(" |").append(AdocText.prose(metric.help)).append('\n');
        });
    return text.append("|===\n").toString();
  }

  private static String labels(Metric metric) {
    List<String> names = new ArrayList<>();
    metric.labels.forEach(name -> names.add(AdocText.code(name)));
    return String.join(", ", names);
  }
}
