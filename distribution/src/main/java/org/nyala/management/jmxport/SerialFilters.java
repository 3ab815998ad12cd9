package org.nyala.management.jmxport;

import java.io.ObjectInputFilter;
import java.util.List;

/**
 * The classes that are deserialised for JMX, one by one.
 *
 * <p>Packages are not named as a whole: reading a {@code java.rmi.server.UnicastRemoteObject} has
 * the JVM listen on a port of every address, and reading a reference to a remote object has it
 * connect elsewhere, both before anybody has asked what the caller may do. Of {@code java.util}
 * nothing is read that hashes its elements: sets within sets within sets take for ever (no bean
 * that changes something takes maps or sets). The pattern language is that of {@code
 * jdk.serialFilter}. Immutable.
 */
public final class SerialFilters {
  /** A user and a password, and no more. */
  static final String CREDENTIALS =
      "maxbytes=8192;maxarray=2;maxrefs=8;maxdepth=2;java.lang.String;!*";

  private static final String LIMITS = "maxbytes=1048576;maxarray=10000;maxrefs=10000;maxdepth=20";

  private static final List<String> VALUES =
      List.of(
          "java.lang.Object",
          "java.lang.Number",
          "java.lang.Boolean",
          "java.lang.Byte",
          "java.lang.Character",
          "java.lang.Double",
          "java.lang.Float",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Short",
          "java.lang.String",
          "java.math.BigDecimal",
          "java.math.BigInteger",
          "java.util.ArrayList",
          "java.util.Date",
          "java.util.TreeMap",
          "java.util.Vector",
          "java.rmi.MarshalledObject");

  /** In {@code javax.management}: names, attributes, and what asks for beans. */
  private static final List<String> QUERIES =
      List.of(
          "Attribute",
          "AttributeList",
          "ObjectName",
          "AndQueryExp",
          "AttributeValueExp",
          "BetweenQueryExp",
          "BinaryOpValueExp",
          "BinaryRelQueryExp",
          "BooleanValueExp",
          "ClassAttributeValueExp",
          "InQueryExp",
          "InstanceOfQueryExp",
          "MatchQueryExp",
          "NotQueryExp",
          "NumericValueExp",
          "OrQueryExp",
          "QualifiedAttributeValueExp",
          "QueryEval",
          "QueryExp",
          "StringValueExp",
          "ValueExp",
          "AttributeChangeNotificationFilter",
          "NotificationFilterSupport",
          "relation.MBeanServerNotificationFilter",
          "openmbean.ArrayType",
          "openmbean.CompositeData",
          "openmbean.CompositeDataSupport",
          "openmbean.CompositeType",
          "openmbean.OpenType",
          "openmbean.SimpleType",
          "openmbean.TabularType");

  /** What attributes, arguments and filters of notifications are made of. */
  static final String ARGUMENTS =
      LIMITS
          + ';'
          + String.join(";", VALUES)
          + ";javax.management."
          + String.join(";javax.management.", QUERIES)
          + ";!*";

  /** What no JVM of ours reads, whoever sends it and by whichever way. */
  private static final String NOWHERE = "!java.rmi.server.UnicastRemoteObject";

  private SerialFilters() {}

  /**
   * Has this JVM never read what opens ports, also for who attaches to it as its user. Called once,
   * at the start; what an administrator has set with {@code jdk.serialFilter} stands.
   */
  public static void install() {
    if (ObjectInputFilter.Config.getSerialFilter() == null) {
      ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter(NOWHERE));
    }
  }
}
