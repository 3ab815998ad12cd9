package org.nyala.management.jmxport;

import java.io.ObjectInputFilter;

/**
 * The filters of deserialised classes for JMX, which list each class.
 *
 * <p>Whole packages are never allowed: deserialising a {@code java.rmi.server.UnicastRemoteObject}
 * makes the JVM listen on a port of every address, and deserialising a reference to a remote object
 * makes it connect elsewhere, both before the caller is authorized. Of {@code java.util} no hashed
 * collections are allowed: nested sets can take unbounded time (no bean that changes state takes
 * maps or sets). The pattern language is that of {@code jdk.serialFilter}. Immutable.
 */
public final class SerialFilters {
  /** The classes of credentials: a user and a password. */
  static final String CREDENTIALS =
      "maxbytes=8192;maxarray=2;maxrefs=8;maxdepth=2;java.lang.String;!*";

  private static final String LIMITS = "maxbytes=1048576;maxarray=10000;maxrefs=10000;maxdepth=20";

  private static final String VALUES =
      "java.lang.Object;java.lang.Number;java.lang.Boolean;java.lang.Byte;"
          + "java.lang.Character;java.lang.Double;java.lang.Float;java.lang.Integer;java.lang.Long;"
          + "java.lang.Short;java.lang.String;java.math.BigDecimal;java.math.BigInteger;"
          + "java.util.ArrayList;java.util.Date;java.util.TreeMap;java.util.Vector;"
          + "java.rmi.MarshalledObject";

  /** The classes in {@code javax.management} of names, attributes and queries. */
  private static final String QUERIES =
      "Attribute;AttributeList;ObjectName;AndQueryExp;AttributeValueExp;BetweenQueryExp;"
          + "BinaryOpValueExp;BinaryRelQueryExp;BooleanValueExp;ClassAttributeValueExp;InQueryExp;"
          + "InstanceOfQueryExp;MatchQueryExp;NotQueryExp;NumericValueExp;OrQueryExp;"
          + "QualifiedAttributeValueExp;QueryEval;QueryExp;StringValueExp;ValueExp;"
          + "AttributeChangeNotificationFilter;NotificationFilterSupport;"
          + "relation.MBeanServerNotificationFilter;openmbean.ArrayType;openmbean.CompositeData;"
          + "openmbean.CompositeDataSupport;openmbean.CompositeType;openmbean.OpenType;"
          + "openmbean.SimpleType;openmbean.TabularType";

  /** The classes of attributes, arguments and filters of notifications. */
  static final String ARGUMENTS =
      LIMITS
          + ';'
          + VALUES
          + ";javax.management."
          + QUERIES.replace(";", ";javax.management.")
          + ";!*";

  /** The classes that our JVMs never deserialise, from any source. */
  private static final String NOWHERE = "!java.rmi.server.UnicastRemoteObject";

  private SerialFilters() {}

  /**
   * Sets the filter of the whole JVM, which rejects classes that open ports, also for users that
   * attach to it. Called once, at the start; an administrator's own {@code jdk.serialFilter} is
   * kept.
   */
  public static void install() {
    if (ObjectInputFilter.Config.getSerialFilter() == null) {
      ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter(NOWHERE));
    }
  }
}
