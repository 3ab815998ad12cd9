package org.nyala.management;

import java.lang.reflect.Method;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.NotificationEmitter;
import javax.management.StandardEmitterMBean;
import org.jspecify.annotations.Nullable;
import org.nyala.management.bean.Description;

/**
 * An MXBean that describes itself by the {@link Description}s of its interface.
 *
 * <p>Thread-safe if the bean is.
 */
final class DescribedBean extends StandardEmitterMBean {
  /**
   * Creates the bean.
   *
   * @param emitter the source of the bean's notifications
   */
  <T> DescribedBean(T bean, Class<T> type, NotificationEmitter emitter) {
    super(bean, type, true, emitter);
  }

  @Override
  protected String getDescription(MBeanInfo info) {
    Description own = getMBeanInterface().getAnnotation(Description.class);
    return own == null ? info.getDescription() : own.value();
  }

  @Override
  protected String getDescription(MBeanAttributeInfo info) {
    Method getter = method((info.isIs() ? "is" : "get") + info.getName(), 0);
    return text(getter, info.getDescription());
  }

  @Override
  protected String getDescription(MBeanOperationInfo info) {
    return text(method(info.getName(), info.getSignature().length), info.getDescription());
  }

  @Override
  protected String getParameterName(
      MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
    Method method = method(operation.getName(), operation.getSignature().length);
    return method == null ? parameter.getName() : method.getParameters()[sequence].getName();
  }

  @Override
  protected String getDescription(
      MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
    Method method = method(operation.getName(), operation.getSignature().length);
    Description own =
        method == null ? null : method.getParameters()[sequence].getAnnotation(Description.class);
    return own == null ? parameter.getDescription() : own.value();
  }

  private static String text(@Nullable Method method, String otherwise) {
    Description own = method == null ? null : method.getAnnotation(Description.class);
    return own == null ? otherwise : own.value();
  }

  /** Returns the method of a name: overloaded ones differ in the number of parameters. */
  private @Nullable Method method(String name, int parameters) {
    for (Method method : getMBeanInterface().getMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == parameters) {
        return method;
      }
    }
    return null;
  }
}
