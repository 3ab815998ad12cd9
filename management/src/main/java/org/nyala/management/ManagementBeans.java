package org.nyala.management;

import java.lang.reflect.Method;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.ImmutableDescriptor;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanException;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.NotificationEmitter;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import javax.management.StandardEmitterMBean;
import javax.management.openmbean.SimpleType;
import org.jspecify.annotations.Nullable;
import org.nyala.management.bean.Description;
import org.nyala.management.bean.ListenerMXBean;

/**
 * The beans of a server in an MBean server; closing unregisters them. Thread-safe.
 *
 * <p>An MBean server has room for one server: the names are the same for all.
 */
public final class ManagementBeans implements AutoCloseable {
  private final MBeanServer registry;
  private final Notifications notices;
  private final Deque<ObjectName> names = new ArrayDeque<>();
  private Meter.@Nullable Reading reading;

  /**
   * Creates a set without beans.
   *
   * @param notices the source of their notifications
   */
  public ManagementBeans(MBeanServer registry, Notifications notices) {
    this.registry = registry;
    this.notices = notices;
  }

  /**
   * Registers a bean, with its meters if the parts of the server were registered before.
   *
   * @param bean implements one of the interfaces of {@code management.bean}
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(Object bean) {
    for (Class<?> type : bean.getClass().getInterfaces()) {
      if (JMX.isMXBeanInterface(type)) {
        String name = type.getSimpleName().replace("MXBean", "");
        return register("org.nyala:type=" + name, bean, type, MeterCatalogue.attributes(name));
      }
    }
    throw new IllegalArgumentException(bean.getClass() + " is no bean");
  }

  /**
   * Registers the beans of the server's parts.
   *
   * @param version name and version of the program
   * @throws IllegalStateException if another server is registered
   */
  public ManagementBeans with(ServerComponents parts, String version) {
    synchronized (this) {
      reading = new Meter.Reading(parts, parts.store()::status);
    }
    for (String url : parts.listeners()) {
      register(
          ListenerMXBean.NAME_PREFIX + ObjectName.quote(url),
          new ListenerManagement(parts, url),
          ListenerMXBean.class,
          Map.of());
    }
    return with(new ServerManagement(parts, version, InstantSource.system()))
        .with(new ConnectionsManagement(parts))
        .with(new OperationsManagement(parts))
        .with(new StoreManagement(parts));
  }

  private synchronized <T> ManagementBeans register(
      String name, Object bean, Class<T> type, Map<String, Meter.Attribute> meters) {
    try {
      ObjectName registered = new ObjectName(name);
      registry.registerMBean(
          new DescribedBean(type.cast(bean), type, notices.emitter(name), reading, meters),
          registered);
      names.push(registered);
      return this;
    } catch (JMException e) {
      throw new IllegalStateException("cannot register " + name, e);
    }
  }

  @Override
  public synchronized void close() {
    while (!names.isEmpty()) {
      ObjectName name = names.pop();
      try {
        registry.unregisterMBean(name);
      } catch (InstanceNotFoundException e) {
        // Somebody else has unregistered it, as intended.
      } catch (JMException e) {
        throw new IllegalStateException("cannot unregister " + name, e);
      }
    }
  }

  /**
   * An MXBean that describes itself by the {@link Description}s of its interface, and has meters as
   * further attributes.
   *
   * <p>Thread-safe if the bean is.
   */
  private static final class DescribedBean extends StandardEmitterMBean {
    private final Meter.@Nullable Reading reading;
    private final Map<String, Meter.Attribute> meters;

    private <T> DescribedBean(
        T bean,
        Class<T> type,
        NotificationEmitter emitter,
        Meter.@Nullable Reading reading,
        Map<String, Meter.Attribute> meters) {
      super(bean, type, true, emitter);
      this.reading = reading;
      this.meters = reading == null ? Map.of() : meters;
    }

    @Override
    public MBeanInfo getMBeanInfo() {
      MBeanInfo own = super.getMBeanInfo();
      return new MBeanInfo(
          own.getClassName(),
          own.getDescription(),
          Stream.concat(
                  Stream.of(own.getAttributes()), meters.values().stream().map(DescribedBean::info))
              .toArray(MBeanAttributeInfo[]::new),
          own.getConstructors(),
          own.getOperations(),
          own.getNotifications(),
          new ImmutableDescriptor(
              "immutableInfo=true",
              "interfaceClassName=" + getMBeanInterface().getName(),
              "mxbean=true"));
    }

    /** Describes a meter as the JDK describes an attribute of a primitive type. */
    private static MBeanAttributeInfo info(Meter.Attribute meter) {
      boolean is = meter.type() == SimpleType.BOOLEAN;
      String type = is ? "boolean" : meter.type() == SimpleType.INTEGER ? "int" : "long";
      return new MBeanAttributeInfo(
          meter.name(),
          type,
          meter.description(),
          true,
          false,
          is,
          new ImmutableDescriptor(Map.of("openType", meter.type(), "originalType", type)));
    }

    @Override
    public Object getAttribute(String name)
        throws AttributeNotFoundException, MBeanException, ReflectionException {
      Meter.Attribute meter = meters.get(name);
      return meter == null || reading == null ? super.getAttribute(name) : meter.of(reading);
    }

    @Override
    public AttributeList getAttributes(String[] names) {
      AttributeList found = new AttributeList();
      for (String name : names) {
        try {
          found.add(new Attribute(name, getAttribute(name)));
        } catch (JMException | RuntimeException _) {
          // Left out, as the interface demands.
        }
      }
      return found;
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
}
