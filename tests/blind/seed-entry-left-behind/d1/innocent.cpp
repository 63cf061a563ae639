// btadapter.cpp - Python access to the paired devices of a radio adapter.
#include <boost/enable_shared_from_this.hpp>
#include <boost/noncopyable.hpp>
#include <boost/python.hpp>
#include <boost/shared_ptr.hpp>
#include <boost/unordered_map.hpp>

#include <string>

namespace bp = boost::python;

extern "C" {
struct bt_device;
struct bt_adapter;
enum bt_error { BT_OK = 0, BT_BUSY = 1, BT_GONE = 2 };
bt_adapter* bt_adapter_open(int index);
void bt_adapter_close(bt_adapter* adapter);
bt_device* bt_pair(bt_adapter* adapter, const char* address);
/* Frees the device if the answer is BT_OK. */
enum bt_error bt_unpair(bt_adapter* adapter, bt_device* device);
void bt_forget(bt_adapter* adapter, bt_device* device); /* frees the device */
int bt_rssi(const bt_device* device);
/* The next device that sent something; 0 when none did. */
bt_device* bt_poll(bt_adapter* adapter);
}

class BtDevice : boost::noncopyable {
public:
    BtDevice(bt_device* native, const std::string& address) : mNative(native), mAddress(address) {}

    int rssi() const { return bt_rssi(native()); }
    std::string address() const { return mAddress; }
    bool isPaired() const { return mNative != 0; }

    bt_device* native() const {
        if (!mNative) {
            PyErr_SetString(PyExc_RuntimeError, "the device is not paired");
            bp::throw_error_already_set();
        }
        return mNative;
    }
    void release() { mNative = 0; }

private:
    bt_device* mNative;
    std::string mAddress;
};

typedef boost::shared_ptr<BtDevice> BtDevicePtr;

class BtAdapter : boost::noncopyable {
public:
    explicit BtAdapter(int index) : mAdapter(bt_adapter_open(index)) {
        if (!mAdapter) {
            PyErr_SetString(PyExc_OSError, "no such adapter");
            bp::throw_error_already_set();
        }
    }

    ~BtAdapter() {
        for (DeviceMap::iterator it = mDevices.begin(); it != mDevices.end(); ++it) {
            bt_forget(mAdapter, it->first);
            it->second->release();
        }
        bt_adapter_close(mAdapter);
    }

    BtDevicePtr pair(const std::string& address) {
        bt_device* native = bt_pair(mAdapter, address.c_str());
        if (!native) {
            PyErr_SetString(PyExc_OSError, "pairing failed");
            bp::throw_error_already_set();
        }
        DeviceMap::iterator known = mDevices.find(native);
        if (known != mDevices.end())
            return known->second;
        BtDevicePtr device(new BtDevice(native, address));
        mDevices[native] = device;
        return device;
    }

    void unpair(BtDevice& device, bool force) {
        bt_device* native = device.native();
        if (mDevices.count(native) == 0) {
            PyErr_SetString(PyExc_ValueError, "paired by another adapter");
            bp::throw_error_already_set();
        }
        if (bt_unpair(mAdapter, native) != BT_OK) {
            if (!force) {
                PyErr_SetString(PyExc_OSError, "the device is busy");
                bp::throw_error_already_set();
            }
            bt_forget(mAdapter, native);
            device.release();
            mDevices.erase(native);
            return;
        }
        device.release();
        mDevices.erase(native);
    }

    bp::object poll() {
        bt_device* native = bt_poll(mAdapter);
        DeviceMap::iterator sender = mDevices.find(native);
        return sender == mDevices.end() ? bp::object() : bp::object(sender->second);
    }

private:
    typedef boost::unordered_map<bt_device*, BtDevicePtr> DeviceMap;
    bt_adapter* mAdapter;
    DeviceMap mDevices;
};

BOOST_PYTHON_MODULE(_bluetooth) {
    bp::class_<BtDevice, BtDevicePtr, boost::noncopyable>("Device", bp::no_init)
        .add_property("address", &BtDevice::address)
        .add_property("paired", &BtDevice::isPaired)
        .def("rssi", &BtDevice::rssi);
    bp::class_<BtAdapter, boost::noncopyable>("Adapter", bp::init<int>())
        .def("pair", &BtAdapter::pair)
        .def("unpair", &BtAdapter::unpair, (bp::arg("device"), bp::arg("force") = false))
        .def("poll", &BtAdapter::poll);
}
