package org.nyala.management;

/** What beans tell without being asked. */
public enum NoticeKind {
  /** The data file has nearly grown to its bound. */
  MAP_NEARLY_FULL(
      StoreMXBean.NAME,
      "org.nyala.store.mapNearlyFull",
      "The data file has grown to most of store.maximumMapSizeGiB; with usedBytes and"
          + " maximumBytes.",
      true),

  /** Changes fail for want of room, or of a disk that works. */
  CHANGES_FAIL(
      StoreMXBean.NAME,
      "org.nyala.store.changesFail",
      "Changes cannot be stored, for the disk or the store is full or the disk is broken, and are"
          + " answered unavailable; over when one that takes room is stored again; with reason and"
          + " failures.",
      true),

  /** More changes come than the writer takes. */
  CHANGES_REFUSED(
      StoreMXBean.NAME,
      "org.nyala.store.changesRefused",
      "Changes are answered busy, because limits.writeQueue wait for the writer already; over when"
          + " none was refused for 10 seconds; with refused since the look before and waiting.",
      true),

  /** A read is open for long. */
  LONG_READ(
      StoreMXBean.NAME,
      "org.nyala.store.longRead",
      "A read of the server or of another process, such as an export, has been open for long, and"
          + " what commits since then have freed cannot be used again; with seconds, commits and"
          + " process.",
      true),

  /** Clients do not read what they have asked for. */
  CLIENTS_STALLED(
      ConnectionsMXBean.NAME,
      "org.nyala.connections.stalled",
      "Connections were closed because their clients had left answers unread for"
          + " limits.writeStallTimeoutSeconds; with connections.",
      false),

  /** There is no room for more clients. */
  CLIENTS_REFUSED(
      ConnectionsMXBean.NAME,
      "org.nyala.connections.refused",
      "Clients cannot connect, because limits.connections are open or the process has no more file"
          + " descriptors; over when none was refused for 10 seconds; with reason and connections.",
      true),

  /** Operations wait for long until they run. */
  QUEUE_SATURATED(
      DispatchMXBean.NAME,
      "org.nyala.dispatch.queueSaturated",
      "Operations have waited for long for a permit or a thread, or were refused because of it;"
          + " with waited and refused since the look before.",
      true),

  /** The strategy is another one. */
  STRATEGY_SWITCHED(
      DispatchMXBean.NAME,
      "org.nyala.dispatch.strategySwitched",
      "The dispatch strategy is another one; with strategy and before.",
      false),

  /** Operations that started on event loops start on threads for the disk for a while. */
  OPERATIONS_DEMOTED(
      DispatchMXBean.NAME,
      "org.nyala.dispatch.operationsDemoted",
      "Operations of a class were so slow on the event loops that they start on threads for"
          + " the disk for a while; with classes.",
      false),

  /** A job is done. */
  JOB_DONE(
      JobsMXBean.NAME,
      "org.nyala.jobs.done",
      "A backup, or a change of indexes that JMX asked for, is done; with number and work.",
      false),

  /** A job has failed. */
  JOB_FAILED(
      JobsMXBean.NAME,
      "org.nyala.jobs.failed",
      "A backup, or a change of indexes that JMX asked for, has failed; with number and work.",
      false);

  private static final String OVER = ".over";

  private final String bean;
  private final String type;
  private final String description;
  private final boolean isAlarm;

  NoticeKind(String bean, String type, String description, boolean isAlarm) {
    this.bean = bean;
    this.type = type;
    this.description = description;
    this.isAlarm = isAlarm;
  }

  /** The name of the bean that tells it. */
  String bean() {
    return bean;
  }

  /** The type of the notification. */
  public String type() {
    return type;
  }

  /** The type of the notification that it is not so any more. */
  public String overType() {
    return type + OVER;
  }

  /** What it is. */
  String description() {
    return description;
  }

  /** The types of its notifications: what lasts has an end. */
  String[] types() {
    return isAlarm ? new String[] {type, overType()} : new String[] {type};
  }
}
