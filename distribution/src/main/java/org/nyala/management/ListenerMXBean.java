package org.nyala.management;

/** One place where connections are taken. Thread-safe. */
@Description("One place where connections are taken.")
public interface ListenerMXBean {
  /** The beginning of the names under which the beans are registered; the URL follows in quotes. */
  String NAME_PREFIX = "org.nyala:type=Listener,url=";

  /** Where. */
  @Description("Where it takes connections.")
  String getUrl();

  /** Connections that have come to it and are open. */
  @Description("Connections that have come to it and are open.")
  long getConnections();
}
