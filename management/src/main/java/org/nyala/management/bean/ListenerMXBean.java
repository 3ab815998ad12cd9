package org.nyala.management.bean;

/** One address that connections are accepted on. Thread-safe. */
@Description("One address that connections are accepted on.")
public interface ListenerMXBean {
  /** The beginning of the names under which the beans are registered; the URL follows in quotes. */
  String NAME_PREFIX = "org.nyala:type=Listener,url=";

  @Description("The address, as a URL.")
  String getUrl();

  /** Open connections that were accepted on it. */
  @Description("Open connections that were accepted on it.")
  long getConnections();
}
