package org.nyala.management;

import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.MBeanNotificationInfo;
import javax.management.MalformedObjectNameException;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.NotificationEmitter;
import javax.management.ObjectName;

/**
 * What a server tells JMX clients without being asked, and what is wrong with it now.
 *
 * <p>Thread-safe. Alarms are told once, when they begin and when they end, and are in the log.
 */
public final class Notifications {
  private static final System.Logger LOG = System.getLogger(Notifications.class.getName());

  private final InstantSource clock;
  private final Map<String, NotificationBroadcasterSupport> emitters = new HashMap<>();
  private final Map<NoticeKind, String> alarms = new EnumMap<>(NoticeKind.class);
  private long sequence;

  /**
   * Creates notices that nobody listens to yet.
   *
   * @param clock dates them
   */
  public Notifications(InstantSource clock) {
    this.clock = clock;
    for (NoticeKind kind : NoticeKind.values()) {
      emitters.computeIfAbsent(kind.bean(), Notifications::newEmitter);
    }
  }

  private static NotificationBroadcasterSupport newEmitter(String bean) {
    return new NotificationBroadcasterSupport(
        Arrays.stream(NoticeKind.values())
            .filter(kind -> kind.bean().equals(bean))
            .map(
                kind ->
                    new MBeanNotificationInfo(
                        kind.types(), Notification.class.getName(), kind.description()))
            .toArray(MBeanNotificationInfo[]::new));
  }

  /** What listeners to a bean are registered with. */
  NotificationEmitter emitter(String bean) {
    NotificationBroadcasterSupport emitter = emitters.get(bean);
    return emitter == null ? new NotificationBroadcasterSupport() : emitter;
  }

  /**
   * Tells something that has happened.
   *
   * @param message one line for people
   * @param data the same in parts, for programs: texts and numbers
   */
  public void tell(NoticeKind kind, String message, Map<String, Object> data) {
    send(kind, kind.type(), message, data);
  }

  /** Tells that something is wrong, unless that is known. */
  public void raise(NoticeKind kind, String message, Map<String, Object> data) {
    synchronized (alarms) {
      if (alarms.put(kind, message) != null) {
        return;
      }
    }
    LOG.log(Level.WARNING, "{0}", message);
    send(kind, kind.type(), message, data);
  }

  /** Tells that something is not wrong any more, if it was. */
  public void clear(NoticeKind kind) {
    String message;
    synchronized (alarms) {
      if (!alarms.containsKey(kind)) {
        return;
      }
      message = "over: " + alarms.remove(kind);
    }
    LOG.log(Level.INFO, "{0}", message);
    send(kind, kind.overType(), message, Map.of());
  }

  /** What is wrong now, in words. */
  public List<String> alarms() {
    synchronized (alarms) {
      return List.copyOf(alarms.values());
    }
  }

  private void send(NoticeKind kind, String type, String message, Map<String, Object> data) {
    NotificationBroadcasterSupport emitter = emitters.get(kind.bean());
    if (emitter == null) {
      return;
    }
    Notification notification =
        new Notification(type, name(kind), nextSequence(), clock.millis(), message);
    notification.setUserData(new HashMap<>(data));
    emitter.sendNotification(notification);
  }

  private synchronized long nextSequence() {
    return ++sequence;
  }

  private static ObjectName name(NoticeKind kind) {
    try {
      return new ObjectName(kind.bean());
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(kind.bean(), e);
    }
  }
}
