package org.nyala.management.bean;

/** The kinds of notifications of the beans. */
public enum NoticeKind {
  /** The data file has nearly reached its bound. */
  MAP_NEARLY_FULL(
      "store.mapNearlyFull",
      "The data file has grown to most of store.maximumMapSizeGiB; with usedBytes and"
          + " maximumBytes."),

  /** The disk of the data has little free space. */
  DISK_LOW(
      "store.diskLow",
      "The disk of the data has less free space than management.watch.diskLowMebibytes; with"
          + " freeBytes and diskBytes."),

  /** The disk of the data is nearly full. */
  DISK_SCARCE(
      "store.diskScarce",
      "The disk of the data has less free space than management.watch.diskScarceMebibytes, and"
          + " changes may be refused soon; with freeBytes and diskBytes."),

  /** Changes fail because of full or broken storage. */
  CHANGES_FAIL(
      "store.changesFail",
      "Changes cannot be stored, because the disk or the store is full or the disk "
          + "is broken, and are answered unavailable. Over when one that takes room is "
          + "stored again; with reason and failures."),

  /** Nothing can be read or changed. */
  STORE_FAILS(
      "store.fails",
      "Nothing can be read or changed, as the store cannot be used after an error of the disk. The"
          + " server opens it again, or ends with exit code 10 if that is impossible; with"
          + " reason."),

  /** The data directory was moved or deleted. */
  STORE_MOVED(
      "store.moved",
      "The data directory was moved or deleted, or its file system is not there any more: changes"
          + " would be lost and are answered unavailable. Over when the file that is open is in its"
          + " place again; with reason."),

  /** The data is damaged. */
  STORE_DAMAGED(
      "store.damaged",
      "A read or a change has found damaged data: verify it, and restore a backup; with reason."),

  /** More changes arrive than the writer can take. */
  CHANGES_REFUSED(
      "store.changesRefused",
      "Changes are answered busy, because limits.writeQueue are already waiting for "
          + "the writer. Over when none was refused for 10 seconds, or in two intervals of"
          + " management.watch if shorter; with refused since the "
          + "last check and waiting."),

  /** A read has been open for long. */
  LONG_READ(
      "store.longRead",
      "A read of the server or of another process, such as an export, has been open "
          + "for long. Space freed by commits since then cannot be reused; with "
          + "seconds, commits and process."),

  /** Clients do not read their answers. */
  CLIENTS_STALLED(
      "connections.stalled",
      "Connections were closed because their clients had left answers unread for"
          + " limits.writeStallTimeoutSeconds; with connections.",
      false),

  /** There is no room for more clients. */
  CLIENTS_REFUSED(
      "connections.refused",
      "Clients cannot connect, because limits.connections are open or the process has no more file"
          + " descriptors. Over when none was refused for 10 seconds, or in two intervals of"
          + " management.watch if shorter; with reason and connections."),

  /** Changed files of certificates cannot be used. */
  CERTIFICATE_UNUSABLE(
      "connections.certificateUnusable",
      "The files of tls.certificate, tls.key, tls.certificates, tls.clientCa or tls.clientCrl,"
          + " or those of management.tls, have changed and cannot be used. The former ones stay in"
          + " use. Also if a revocation list has ended, or if a certificate between members of a"
          + " cluster cannot be used or is not valid; with reason."),

  /** A certificate ends soon. */
  CERTIFICATE_ENDS(
      "connections.certificateEnds",
      "A certificate in use is valid for less than 14 days; with end."),

  /** Operations wait for long before they run. */
  QUEUE_SATURATED(
      "dispatch.queueSaturated",
      "Operations have waited for long for a permit or a thread, or were refused "
          + "because of it; with waited and refused since the last check."),

  /** The strategy was changed. */
  STRATEGY_SWITCHED(
      "dispatch.strategySwitched",
      "The dispatch strategy was changed; with strategy and before.",
      false),

  /** Operations that used to start on event loops start on disk threads for a while. */
  OPERATIONS_DEMOTED(
      "dispatch.operationsDemoted",
      "Operations of a class were so slow on the event loops that they start on disk "
          + "threads for a while; with classes.",
      false),

  /** A refresh was stopped by the guard. */
  COPY_GUARDED(
      "sync.guarded",
      "The refresh of a copy was stopped because it would delete too many entries"
          + " (replication.maximumDeletePercent), or the provider lacks changes of the copy; with"
          + " copies."),

  /** A copy is not kept up to date. */
  COPY_FAILS(
      "sync.fails",
      "A copy has not been up to date for management.watch.copyLagSeconds, and is not refreshed;"
          + " with copies."),

  /** Changes get no numbers. */
  CLOCK_LEAPT(
      "sync.clockLeapt",
      "The clock was set ahead by more than 24 hours while the server runs, and changes are"
          + " answered unavailable: copies would not take them. Over when one is made again; with"
          + " reason."),

  /** Copies do not take the changes of this server. */
  NUMBERS_AHEAD(
      "sync.numbersAhead",
      "The numbers of changes are more than 24 hours ahead of the clock, and copies do not take"
          + " such changes. Export the data and import it again, for new numbers; with contexts and"
          + " hours."),

  /** Others cannot copy this server. */
  CONSUMER_REFUSED(
      "sync.consumerRefused",
      "A consumer of content synchronization, such as slapd, was refused because of the changes"
          + " that it has. Over when it is refreshed, or does not come for an hour; with"
          + " consumers."),

  /** Another server was promoted to change a naming context. */
  WRITER_SUPERSEDED(
      "sync.superseded",
      "Another server was promoted to change a naming context, in a later epoch or in one of the"
          + " same number. This server changes nothing there, or copies the former one. Over when"
          + " it copies the data of that epoch, or is promoted itself; with copies."),

  /** No member of the cluster leads. */
  CLUSTER_LEADERLESS(
      "cluster.noLeader",
      "No member of the cluster leads: changes are answered unavailable, reads go on; with"
          + " reason."),

  /** A member of the cluster has stopped. */
  CLUSTER_STOPPED(
      "cluster.stopped",
      "The member of the cluster on this server has stopped for good, and goes on with reads only;"
          + " with reason."),

  /** A member of the cluster is not reached. */
  CLUSTER_SILENT(
      "cluster.silent",
      "A member has not answered the leader for cluster.silentSeconds; told by the leader, with"
          + " reason."),

  /** A member of the cluster refuses what it is sent. */
  CLUSTER_STUCK(
      "cluster.stuck",
      "A member answers the leader and takes no entries, again and again; told by the leader, with"
          + " reason."),

  /** A member of the cluster is far behind. */
  CLUSTER_BEHIND(
      "cluster.behind",
      "A member lacks more than cluster.lagEntries entries of the leader's log; told by the leader,"
          + " with reason."),

  /** A member of the cluster does not apply what is committed. */
  CLUSTER_NOT_APPLYING(
      "cluster.notApplying",
      "The data of this member do not come beyond an entry that most members have; with reason."),

  /** The cluster has no member to spare. */
  CLUSTER_BARE_MAJORITY(
      "cluster.bareMajority",
      "Members are missing, and only a bare majority is left: one more failure stops changes; told"
          + " by the leader, with reason."),

  /** An extension has something to look at that has no kind of its own. */
  EXTENSION_TROUBLE("extensions.trouble", "An extension has a trouble that it tells; with reason."),

  /** A job is complete. */
  JOB_DONE(
      "jobs.done",
      "A backup, or a change of indexes requested over JMX, is done; with number and " + "work.",
      false),

  JOB_FAILED(
      "jobs.failed",
      "A backup, or a change of indexes requested over JMX, has failed; with number " + "and work.",
      false);

  private static final String DOMAIN = "org.nyala";
  private static final String CLUSTER = "cluster";

  private final String label;
  private final String description;
  private final boolean isAlarm;

  NoticeKind(String label, String description) {
    this(label, description, true);
  }

  NoticeKind(String label, String description, boolean isAlarm) {
    this.label = label;
    this.description = description;
    this.isAlarm = isAlarm;
  }

  /**
   * Returns the name of the bean that emits it, which the first part of the label is, too, unless
   * that is an extension.
   */
  public String bean() {
    String name = label.substring(0, label.indexOf('.'));
    if (name.equals(CLUSTER)) {
      return ExtensionsMXBean.NAME;
    }
    return DOMAIN + ":type=" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }

  public String type() {
    return DOMAIN + '.' + label;
  }

  /** Returns whether it is a condition that lasts, and has an end. */
  public boolean isAlarm() {
    return isAlarm;
  }

  /** Returns the type without the domain, such as {@code store.longRead}. */
  public String label() {
    return label;
  }

  /** Returns the type of the notification that the condition has ended. */
  public String overType() {
    return type() + ".over";
  }

  public String description() {
    return description;
  }

  /** Returns the types of its notifications: a lasting condition has an end. */
  public String[] types() {
    return isAlarm ? new String[] {type(), overType()} : new String[] {type()};
  }
}
