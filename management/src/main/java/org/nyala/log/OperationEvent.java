package org.nyala.log;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * An LDAP operation that has ended, for flight recordings.
 *
 * <p>Confined to the thread that makes it.
 */
@Name(OperationEvent.NAME)
@Label("LDAP Operation")
@Category("Nyala")
@Description("A completed operation of a client, with the time of each phase.")
@StackTrace(false)
public final class OperationEvent extends Event {
  public static final String NAME = "org.nyala.Operation";

  @Label("Operation")
  @Description("bind, search, compare, modify, modifyDn, add, delete or extended.")
  String operation = "";

  @Label("Connection")
  @Description("The number of the connection, as in the access log.")
  int connection;

  @Label("Request Number")
  @Description("Counts the requests of the connection from 0, as in the access log.")
  int number;

  @Label("Message ID")
  @Description("The client's message ID.")
  int messageId;

  @Label("Identity")
  @Description("The DN that it ran as; empty if anonymous.")
  String identity = "";

  @Label("Request")
  @Description("The request as in the access log, without values of passwords.")
  String request = "";

  @Label("Result")
  @Description("The result code as RFC 4511 writes it, or abandoned.")
  String result = "";

  @Label("Entries")
  @Description("Search result entries sent.")
  int entries;

  @Label("Total Time")
  @Description("From the first look at the request to the end of the answer.")
  @Timespan(Timespan.NANOSECONDS)
  long total;

  @Label("Decode Time")
  @Timespan(Timespan.NANOSECONDS)
  long decode;

  @Label("Admission Time")
  @Description("Waiting for a permit.")
  @Timespan(Timespan.NANOSECONDS)
  long admission;

  @Label("Queue Time")
  @Description("Waiting for a thread.")
  @Timespan(Timespan.NANOSECONDS)
  long queue;

  @Label("Execute Time")
  @Timespan(Timespan.NANOSECONDS)
  long execute;

  @Label("Hash Time")
  @Description("Hashing a password.")
  @Timespan(Timespan.NANOSECONDS)
  long hash;

  @Label("Commit Time")
  @Description("With the writer, until the change is on disk.")
  @Timespan(Timespan.NANOSECONDS)
  long commit;

  @Label("Write Time")
  @Description("Waiting for the client, and the way from a worker to the connection.")
  @Timespan(Timespan.NANOSECONDS)
  long write;

  OperationEvent() {}

  @SettingDefinition
  @Name(DurationThreshold.NAME)
  @Label("Longer Than")
  @Description("Records only operations that took longer, such as 10 ms; 0 ns records all.")
  boolean longerThan(DurationThreshold least) {
    long bound = least.nanos();
    return bound == 0 || total > bound;
  }
}
