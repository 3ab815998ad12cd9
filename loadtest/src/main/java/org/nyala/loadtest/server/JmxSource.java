package org.nyala.loadtest.server;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The numbers that the beans of a Java server show over JMX: those of its memory, collectors,
 * threads and process, and those of Nyala, or the ones that a pattern names.
 *
 * <p>Confined to the thread that samples.
 */
final class JmxSource implements MetricSource {
  static final String SCHEME = "service:jmx:";

  private static final List<String> DEFAULT =
      List.of(
          "java.lang:type=Memory",
          "java.lang:type=Threading",
          "java.lang:type=OperatingSystem",
          "java.lang:type=GarbageCollector,*",
          "org.nyala:*");

  /** Names of numbers that only grow. */
  private static final Pattern COUNTER =
      Pattern.compile("Total.*|CollectionCount|CollectionTime|ProcessCpuTime|.*Total");

  private final JMXServiceURL url;
  private final List<ObjectName> patterns;
  private final String name;
  private final Account account;
  private @Nullable JMXConnector connector;

  /**
   * Reads beans.
   *
   * @param text {@code service:jmx:…}, with a pattern of the names of beans behind a {@code #} or
   *     without
   * @param account who logs in, if it is not anonymous
   * @throws IllegalArgumentException if the text is no such URL
   */
  JmxSource(String text, Account account) {
    int mark = text.indexOf('#');
    this.name = text;
    this.account = account;
    try {
      this.url = new JMXServiceURL(mark < 0 ? text : text.substring(0, mark));
      List<ObjectName> names = new java.util.ArrayList<>();
      for (String pattern : mark < 0 ? DEFAULT : List.of(text.substring(mark + 1))) {
        names.add(new ObjectName(pattern));
      }
      this.patterns = List.copyOf(names);
    } catch (IOException | MalformedObjectNameException e) {
      throw new IllegalArgumentException(
          "--server-metrics: expected a URL such as"
              + " service:jmx:rmi:///jndi/rmi://host:port/jmxrmi, or with #DOMAIN:* behind it;"
              + " found "
              + text,
          e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  /** Reads the beans of a server that the user of the command line names. */
  @Override
  @SuppressWarnings("BanJNDI")
  public Map<Metric, Double> read() throws LoadTestException {
    try {
      JMXConnector open = connector;
      if (open == null) {
        Map<String, Object> environment =
            account.isAnonymous()
                ? Map.of()
                : Map.of(JMXConnector.CREDENTIALS, new String[] {account.dn(), account.password()});
        open = JMXConnectorFactory.connect(url, environment);
        connector = open;
      }
      MBeanServerConnection server = open.getMBeanServerConnection();
      Map<Metric, Double> figures = new TreeMap<>();
      for (ObjectName pattern : patterns) {
        for (ObjectName bean : new TreeSet<>(server.queryNames(pattern, null))) {
          add(figures, server, bean);
        }
      }
      if (figures.isEmpty()) {
        throw new LoadTestException("it has no beans with numbers of these names");
      }
      return figures;
    } catch (IOException | SecurityException e) {
      close();
      throw new LoadTestException(
          "it does not answer (" + (e.getMessage() == null ? "no reason" : e.getMessage()) + ")");
    }
  }

  private static void add(
      Map<Metric, Double> figures, MBeanServerConnection server, ObjectName bean)
      throws IOException {
    try {
      String[] readable =
          java.util.Arrays.stream(server.getMBeanInfo(bean).getAttributes())
              .filter(MBeanAttributeInfo::isReadable)
              .map(MBeanAttributeInfo::getName)
              .toArray(String[]::new);
      for (Attribute attribute : server.getAttributes(bean, readable).asList()) {
        add(figures, bean + " " + attribute.getName(), attribute.getName(), attribute.getValue());
      }
    } catch (JMException e) {
      // A bean may be gone by now, or have attributes that only its program understands.
      return;
    }
  }

  private static void add(
      Map<Metric, Double> figures, String name, String attribute, @Nullable Object value) {
    if (value instanceof Number number && figures.size() < MOST_METRICS) {
      double figure = number.doubleValue();
      if (Double.isFinite(figure)) {
        figures.put(new Metric(name, COUNTER.matcher(attribute).matches()), figure);
      }
    } else if (value instanceof CompositeData composite) {
      for (String key : composite.getCompositeType().keySet()) {
        if (composite.get(key) instanceof Number number) {
          add(figures, name + "." + key, key, number);
        }
      }
    }
  }

  @Override
  public void close() {
    JMXConnector open = connector;
    connector = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // The other end is gone already.
        return;
      }
    }
  }
}
