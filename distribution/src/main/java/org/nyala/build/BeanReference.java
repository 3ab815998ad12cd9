package org.nyala.build;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import javax.management.Descriptor;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.ArrayType;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.TabularType;

/** Writes the reference of a server's beans in AsciiDoc, as they describe themselves. */
final class BeanReference {
  private static final String DOMAIN = "org.nyala:*";

  private BeanReference() {}

  /**
   * Writes the reference.
   *
   * @param beans the bean server that a server is registered in
   */
  static String of(MBeanServer beans) throws JMException {
    StringBuilder text = new StringBuilder();
    for (ObjectName name : new TreeSet<>(beans.queryNames(new ObjectName(DOMAIN), null))) {
      write(name, beans.getMBeanInfo(name), text);
    }
    return text.toString();
  }

  private static void write(ObjectName name, MBeanInfo bean, StringBuilder text) {
    String type = name.getKeyProperty("type");
    String title = "org.nyala:type=" + type;
    if (name.getKeyProperty("url") != null) {
      title += ",url=\"…\"";
    }
    text.append("[#bean-").append(type).append("]\n=== ").append(AdocText.code(title));
    text.append("\n\n").append(AdocText.prose(bean.getDescription())).append("\n\n");
    writeAttributes(bean.getAttributes(), text);
    writeOperations(bean.getOperations(), text);
    writeNotifications(bean.getNotifications(), text);
  }

  private static void writeAttributes(MBeanAttributeInfo[] attributes, StringBuilder text) {
    Arrays.sort(attributes, Comparator.comparing(MBeanFeatureInfo::getName));
    begin(attributes.length, "Attribute", "Type", text);
    for (MBeanAttributeInfo attribute : attributes) {
      String access = attribute.isWritable() ? ", can be set" : "";
      row(
          attribute.getName(),
          type(attribute.getDescriptor(), attribute.getType()) + access,
          AdocText.prose(attribute.getDescription()),
          text);
    }
    end(attributes.length, text);
  }

  private static void writeOperations(MBeanOperationInfo[] operations, StringBuilder text) {
    Arrays.sort(operations, Comparator.comparing(MBeanFeatureInfo::getName));
    begin(operations.length, "Operation", "Answers", text);
    for (MBeanOperationInfo operation : operations) {
      List<String> names = new ArrayList<>();
      StringBuilder description = new StringBuilder(AdocText.prose(operation.getDescription()));
      for (MBeanParameterInfo parameter : operation.getSignature()) {
        names.add(parameter.getName());
        description
            .append(" +\n")
            .append(AdocText.code(parameter.getName()))
            .append(" (")
            .append(type(parameter.getDescriptor(), parameter.getType()))
            .append("): ")
            .append(AdocText.prose(parameter.getDescription()));
      }
      row(
          operation.getName() + "(" + String.join(", ", names) + ")",
          type(operation.getDescriptor(), operation.getReturnType()),
          description.toString(),
          text);
    }
    end(operations.length, text);
  }

  private static void writeNotifications(MBeanNotificationInfo[] all, StringBuilder text) {
    begin(all.length, "Notification", "Ends with", text);
    for (MBeanNotificationInfo notification : all) {
      String[] types = notification.getNotifTypes();
      row(
          types[0],
          types.length > 1 ? AdocText.code(types[1]) : "",
          AdocText.prose(notification.getDescription()),
          text);
    }
    end(all.length, text);
  }

  private static void begin(int rows, String first, String second, StringBuilder text) {
    if (rows > 0) {
      text.append("[cols=\"5,5,9\",options=header]\n|===\n|");
      text.append(first).append(" |").append(second).append(" |What\n\n");
    }
  }

  private static void row(String name, String second, String what, StringBuilder text) {
    text.append('|').append(AdocText.code(name)).append(" |").append(second);
    text.append(" |").append(what).append('\n');
  }

  private static void end(int rows, StringBuilder text) {
    if (rows > 0) {
      text.append("|===\n\n");
    }
  }

  private static String type(Descriptor descriptor, String className) {
    return descriptor.getFieldValue("openType") instanceof OpenType<?> open
        ? type(open)
        : AdocText.plain(simple(className));
  }

  private static String type(OpenType<?> type) {
    return switch (type) {
      case ArrayType<?> array -> "list of " + type(array.getElementOpenType());
      case CompositeType record -> fields(record);
      case TabularType table -> "map of " + fields(table.getRowType());
      default -> AdocText.plain(simple(type.getClassName()));
    };
  }

  private static String fields(CompositeType record) {
    List<String> fields = new ArrayList<>();
    for (String name : record.keySet()) {
      fields.add(AdocText.code(name) + " " + type(record.getType(name)));
    }
    return "(" + String.join(", ", fields) + ")";
  }

  private static String simple(String className) {
    return switch (className) {
      case "java.lang.String" -> "text";
      case "java.lang.Boolean", "boolean" -> "true or false";
      case "java.lang.Integer", "java.lang.Long", "int", "long" -> "whole number";
      case "java.lang.Double", "double" -> "number";
      case "java.lang.Void", "void" -> "nothing";
      default -> className;
    };
  }
}
